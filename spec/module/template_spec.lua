-- URI templates, beyond the rows of spec/vectors/templates.json: long ones.
local endpoint = require "endpoint"
local support = require "support"

-- Behind an empty baseUrl the expanded template is the whole URL.
local api = endpoint.defaults { baseUrl = "" }

local function expand(template, variables)
  return api("POST " .. template, variables).url
end

describe("a template", function()
  it("may have any number of variables, of which the last is blamed, too", function()
    local names, values, texts = {}, {}, {}
    for count = 1, 300 do
      names[count], texts[count] = "v" .. count, tostring(count)
      local template = "/{" .. table.concat(names, "}/{") .. "}"
      if count < 40 or count % 50 == 0 then
        support.raises({ ('"v%d"'):format(count), "is missing" }, api, template, values)
      end
      values[names[count]] = count
      assert.equal("/" .. table.concat(texts, "/"), expand(template, values))
    end
  end)

  it("may be long", function()
    local text = ("/x%2F"):rep(20000)
    assert.equal(text .. "/1", expand(text .. "/{a}", { a = 1 }))
    assert.equal("/" .. ("%C3%A9"):rep(500), expand("/" .. ("é"):rep(500)))
    assert.equal("/" .. ("%C3%A9"):rep(500) .. "/x", expand("/x", { baseUrl = "/" .. ("é"):rep(500) }))
  end)
end)

describe(":name", function()
  it("is the same as {name}", function()
    for _, value in ipairs { "a b/c", "é", 5.5, true, { "x", "y" }, { k = "v" } } do
      assert.equal(expand("/{p}", { p = value }), expand("/:p", { p = value }))
    end
    assert.equal(support.message_of(api, "/{p}"), support.message_of(api, "/:p"))
  end)
end)
