-- The name that is proposed in the place of a wrong one.
package.path = "src/?.lua;" .. package.path
local text = require "endpoint.text"

describe("text.nearest", function()
  for _, row in ipairs {
    { wrong = "abcxyz", name = "abcd" },
    { wrong = "abcd", name = "ab" },
    { wrong = "ABcd", name = "abCD" },
    { wrong = "typ", name = "type_of_a" },
  } do
    it(
      ('proposes "%s" for "%s", which shares half of its bytes'):format(row.name, row.wrong),
      function()
        local expected = (', is it "%s"?'):format(row.name)
        assert.equal(expected, text.nearest(row.wrong, { [row.name] = true }))
      end
    )
  end

  for _, row in ipairs {
    { wrong = "abcwxyz", name = "abcd" },
    { wrong = "abcde", name = "ab" },
    { wrong = "ab", name = "a" },
    { wrong = "aaaxx", name = "aayyyyy" },
    { wrong = "typ", name = "type_of_it" },
    { wrong = "wget", name = "luasocket" },
  } do
    it(
      ('does not propose "%s" for "%s", since too few bytes are alike'):format(row.name, row.wrong),
      function()
        assert.equal("", text.nearest(row.wrong, { [row.name] = true }))
      end
    )
  end

  it("does not propose the wrong name itself", function()
    assert.equal("", text.nearest("ab", { ab = true }))
  end)

  it("proposes the first of several that are equally near, and the shortest", function()
    local names = {}
    for letter in ("abcdefghij"):gmatch "." do
      names["tag_" .. letter], names["tag_a" .. letter] = true, true
    end
    assert.equal(', is it "tag_a"?', text.nearest("tag_z", names))
  end)
end)

describe("text.likeness", function()
  for _, row in ipairs {
    { one = "aaa", other = "aa", bytes = 2 },
    { one = "ab", other = "ab", bytes = 2 },
    { one = "xa", other = "ya", bytes = 1 },
    { one = "abca", other = "aba", bytes = 3 },
    { one = "abc", other = "xbc", bytes = 2 },
  } do
    it(
      ("counts %d bytes that %s and %s share at their ends"):format(row.bytes, row.one, row.other),
      function()
        assert.equal(row.bytes, text.likeness(row.one, row.other))
      end
    )
  end
end)
