-- URIs of schemas, resolved as RFC 3986 says.
package.path = "src/?.lua;" .. package.path
local uri = require "endpoint.types.document.uri"

-- RFC 3986, 5.4.1 and 5.4.2, without their fragments.
local BASE = "http://a/b/c/d;p?q"
local EXAMPLES = {
  ["g:h"] = "g:h",
  ["g"] = "http://a/b/c/g",
  ["./g"] = "http://a/b/c/g",
  ["g/"] = "http://a/b/c/g/",
  ["/g"] = "http://a/g",
  ["//g"] = "http://g",
  ["?y"] = "http://a/b/c/d;p?y",
  ["g?y"] = "http://a/b/c/g?y",
  [";x"] = "http://a/b/c/;x",
  ["g;x"] = "http://a/b/c/g;x",
  [""] = "http://a/b/c/d;p?q",
  ["."] = "http://a/b/c/",
  ["./"] = "http://a/b/c/",
  [".."] = "http://a/b/",
  ["../"] = "http://a/b/",
  ["../g"] = "http://a/b/g",
  ["../.."] = "http://a/",
  ["../../"] = "http://a/",
  ["../../g"] = "http://a/g",
  ["../../../g"] = "http://a/g",
  ["../../../../g"] = "http://a/g",
  ["/./g"] = "http://a/g",
  ["/../g"] = "http://a/g",
  ["g."] = "http://a/b/c/g.",
  [".g"] = "http://a/b/c/.g",
  ["g.."] = "http://a/b/c/g..",
  ["..g"] = "http://a/b/c/..g",
  ["./../g"] = "http://a/b/g",
  ["./g/."] = "http://a/b/c/g/",
  ["g/./h"] = "http://a/b/c/g/h",
  ["g/../h"] = "http://a/b/c/h",
  ["g;x=1/./y"] = "http://a/b/c/g;x=1/y",
  ["g;x=1/../y"] = "http://a/b/c/y",
  ["g?y/./x"] = "http://a/b/c/g?y/./x",
  ["g?y/../x"] = "http://a/b/c/g?y/../x",
}

describe("a reference from " .. BASE, function()
  for reference, expected in pairs(EXAMPLES) do
    it(('"%s" means %s'):format(reference, expected), function()
      assert.equal(expected, uri.resolved(reference, BASE))
    end)
  end
end)

describe("a reference", function()
  for _, row in ipairs {
    { base = "http://h", reference = "g", expected = "http://h/g" },
    { base = "", reference = "g", expected = "g" },
    { base = "", reference = "../g", expected = "g" },
    { base = "a/b", reference = "g", expected = "a/g" },
    { base = "a/b", reference = "../g", expected = "g" },
    { base = "/a/b", reference = "../../g", expected = "/g" },
    { base = "urn:a:b", reference = "urn:c:d", expected = "urn:c:d" },
    { base = "urn:a:b", reference = "http://h/a/../b", expected = "http://h/b" },
  } do
    it(('"%s" from "%s" means "%s"'):format(row.reference, row.base, row.expected), function()
      assert.equal(row.expected, uri.resolved(row.reference, row.base))
    end)
  end
end)
