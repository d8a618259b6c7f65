-- Prints real routes as request options, in JSON, or the route and the parameters that the
-- environment variables ROUTE and PARAMS hold.
local endpoint = require "endpoint"
local json = require "cjson"
local support = require "support"

local INDENT = "  "

-- JSON of lua-cjson, except for whole numbers, of which it writes only 14 digits.
local function scalar(value)
  if type(value) == "number" and value % 1 == 0 and math.abs(value) < 2 ^ 53 then return ("%.0f"):format(value) end
  return (json.encode(value):gsub("\\/", "/"))
end

-- JSON with one field a line.
local function pretty(value, indent)
  if type(value) ~= "table" or next(value) == nil then return scalar(value) end
  local inner, lines = indent .. INDENT, {}
  for i, item in ipairs(value) do lines[i] = inner .. pretty(item, inner) end
  if #lines > 0 then return "[\n" .. table.concat(lines, ",\n") .. "\n" .. indent .. "]" end
  for i, key in ipairs(support.keys(value)) do
    lines[i] = inner .. json.encode(key) .. ": " .. pretty(value[key], inner)
  end
  return "{\n" .. table.concat(lines, ",\n") .. "\n" .. indent .. "}"
end

local function show(route, params)
  local ok, result = pcall(endpoint, route, params)
  if not ok then
    io.stderr:write(result, "\n")
    os.exit(1)
  end
  print(route)
  print(pretty(result, "") .. "\n")
end

local function show_own(route, params)
  if params == "" then params = "{}" end
  local ok, decoded = pcall(json.decode, params)
  if not ok or not params:find "^%s*{" then
    io.stderr:write("PARAMS: expected a JSON object, got ", params, "\n")
    os.exit(1)
  end
  show(route, decoded)
end

local route, params = os.getenv "ROUTE" or "", os.getenv "PARAMS" or ""
if route ~= "" then
  show_own(route, params)
elseif params ~= "" then
  io.stderr:write("PARAMS: expected a ROUTE beside it\n")
  os.exit(1)
else
  show("GET /orgs/:org/repos", { org = "octokit", type = "private" })
  show("POST /repos/{owner}/{repo}/issues", { owner = "octokit", repo = "rest", title = "Héllo", labels = { "bug" } })
  show("GET /repos/{owner}/{repo}/contents{/path*}{?ref}",
    { owner = "octokit", repo = "rest", path = { "docs", "read me.md" }, ref = "main" })
  show("DELETE /repos/{owner}/{repo}/labels/{name}", { owner = "octokit", repo = "rest", name = "good first/issue" })
  show("GET /search/issues", { q = "repo:octokit/rest is:open", per_page = 100, mediaType = { format = "raw" } })
end
