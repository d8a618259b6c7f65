-- The definitions and the documents name each setting of endpoint.request and each field of a log
-- entry, and no other.
local endpoint = require "endpoint"
local reference = require "docs.reference"
local request = require "endpoint.request"
local settings = require "endpoint.request.settings"
local support = require "support"

local SETTINGS, HOOKS = support.read "docs/settings.md", support.read "docs/hooks.md"

-- Name -> type of the fields of a class, without the "?" of one that need not be there.
local function fields_of(class)
  local fields = {}
  for _, item in ipairs(reference.known[class].items) do
    if item.tag == "field" then
      fields[item.name:gsub("%?$", "")] = item.type
    end
  end
  return fields
end

local function section_of(text, heading)
  local first = assert(text:find("\n## " .. heading .. "\n", 1, true), heading)
  return text:sub(first, text:find("\n## ", first + 1, true))
end

-- What is between backquotes in a text, as a set.
local function quoted_in(text)
  local names = {}
  for name in text:gmatch "`([%w_]+)`" do
    names[name] = true
  end
  return names
end

-- --- settings -------------------------------------------------------------------------

-- The names in the first cells of the tables of settings.
local in_document = {}
for cell in section_of(SETTINGS, "Settings"):gmatch "\n| (`[^|]*) |" do
  for name in pairs(quoted_in(cell)) do
    in_document[name] = true
  end
end

local of_call = fields_of "endpoint.request.CallSettings"
local of_sender = fields_of "endpoint.request.Settings"

for name in pairs(settings.SENDER_TYPES) do
  local is_of_call = settings.CALL_TYPES[name] ~= nil

  describe("the setting " .. name, function()
    it("is a field of the definitions, of the class of those who may have it", function()
      local found = { call = of_call[name] ~= nil, sender = of_sender[name] ~= nil }
      assert.same({ call = is_of_call, sender = not is_of_call }, found)
    end)

    it("has a row in docs/settings.md", function()
      assert.is_true(in_document[name], name)
    end)
  end)
end

describe("the definitions of endpoint.request", function()
  it("have no other setting", function()
    for _, class in ipairs { of_call, of_sender } do
      for name in pairs(class) do
        assert.truthy(settings.SENDER_TYPES[name], name)
      end
    end
  end)

  for name in pairs(in_document) do
    it("have the setting that docs/settings.md calls " .. name, function()
      assert.truthy(settings.SENDER_TYPES[name] or settings.EACH_TYPES[name], name)
    end)
  end

  it("have the settings of send.each and no other", function()
    local names = support.keys(fields_of "endpoint.request.Pages")
    assert.same(support.keys(settings.EACH_TYPES), names)
  end)
end)

-- --- the log --------------------------------------------------------------------------

-- The names of all fields of entries of a kind: a try that has a response or has none, or a pause.
local function fields_of_entries(is_pause)
  local names, responses = {}, { { nil, "lost" }, { 503, { ["retry-after"] = "0" } }, { 200, {} } }
  local send = request.new(endpoint.defaults { baseUrl = "http://h.example" }, {
    sleep = function() end,
    client = function()
      local response = table.remove(responses, 1)
      return response[1], response[2]
    end,
    log = function(entry)
      if (entry.reason ~= nil) == is_pause then
        for name in pairs(entry) do
          names[name] = true
        end
      end
    end,
  })
  send "GET /x"
  return names
end

for class, is_pause in pairs { Entry = false, Pause = true } do
  local row = section_of(HOOKS, "Log"):match(
    is_pause and "\n| a pause | (.-)\n" or "\n| a request, [^|]*| (.-)\n"
  )

  for name in pairs(fields_of_entries(is_pause)) do
    describe(("the field %s of a log entry, %s,"):format(name, class), function()
      it("is a field of the definitions", function()
        assert.truthy(fields_of("endpoint.request." .. class)[name])
      end)

      it("is in the row of docs/hooks.md", function()
        assert.is_true(quoted_in(row)[name], row)
      end)
    end)
  end

  for name in pairs(quoted_in(row)) do
    it(("a log entry (%s) has the field %s, as docs/hooks.md says"):format(class, name), function()
      assert.is_true(fields_of_entries(is_pause)[name], row)
    end)
  end

  describe("the definitions of the log's " .. class, function()
    it("have no field that no entry has", function()
      local names = fields_of_entries(is_pause)
      for name in pairs(fields_of("endpoint.request." .. class)) do
        assert.is_true(names[name], name)
      end
    end)
  end)
end
