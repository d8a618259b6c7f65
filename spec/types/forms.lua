-- SPDX-License-Identifier: MIT
-- Usage: [TOOLS=20] lua forms.lua FILE...
-- The tools of OpenAPI documents in the form of each service, for forms.mjs, which judges them with
-- ajv. The exit status is 1 if a service would refuse one.
package.path = "spec/lib/?.lua;spec/?.lua;src/?.lua;" .. package.path
local json = require "cjson"
local support = require "support"
local types = require "endpoint.types"

local load_text = loadstring or load

local FORMS = { "openai", "openai-strict", "anthropic", "gemini", "mcp" }

-- So many tools of each document, evenly from all over its list.
local MOST = tonumber(os.getenv "TOOLS" or 20)

local function names_of(rules)
  local names, tools = {}, rules.tools()
  for position = 1, #tools, math.max(1, math.ceil(#tools / MOST)) do
    names[#names + 1] = tools[position].name
  end
  return names
end

-- Writes the tools with these names in a form, as the library's own text.
local function write(node, path, rules, form, names)
  local list = rules.tools(names, { form = form })
  node:write(('{"form":%q,"path":%q,"tools":%s}\n'):format(form, path, list.text))
end

local function write_all(node, path)
  local made = types.generate(json.decode(support.read(path)), "api", { checks = true })
  local rules = assert(load_text(made.files[#made.files - 1].text))()
  local names = names_of(rules)
  for _, form in ipairs(names[1] and FORMS or {}) do
    write(node, path, rules, form, names)
  end
end

local answer = os.tmpname() -- another run has another
local node = assert(io.popen("node spec/types/forms.mjs; echo $? >" .. answer, "w"))
local failed = 0
for _, path in ipairs(arg) do
  local is_written, problem = pcall(write_all, node, path)
  if not is_written then
    failed = failed + 1
    print(path .. ": " .. tostring(problem))
  end
end
node:close()
local is_right = tonumber(support.read(answer)) == 0
os.remove(answer)
os.exit(failed == 0 and is_right)
