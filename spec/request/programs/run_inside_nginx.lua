-- For nginx: runs a program, and answers with what it prints, writes or raises.
-- Query: file, its path, and its environment.
-- luacheck: globals ngx
local environment = ngx.req.get_uri_args()

local its_os = setmetatable({}, { __index = os })
function its_os.getenv(name)
  return environment[name]
end

local its_io = setmetatable({ write = ngx.print }, { __index = io })
its_io.stdout = { setvbuf = function() end }

local function its_print(...)
  local words = { ... }
  for i = 1, select("#", ...) do
    words[i] = tostring(words[i])
  end
  ngx.print(table.concat(words, "\t"), "\n")
end

local program = assert(loadfile(environment.file))
local globals = setmetatable({ os = its_os, io = its_io, print = its_print }, { __index = _G })
local ok, problem = pcall(setfenv(program, globals))
if not ok then
  ngx.print(tostring(problem))
end
