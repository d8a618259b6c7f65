-- The program endpoint-types: its arguments, files and messages. It runs in this process, with
-- stand-ins for what it prints to and leaves by.
package.path = "src/?.lua;" .. package.path
local support = require "support"

local open = io.open

local directory, base = os.tmpname():match "^(.*[/\\])([^/\\]*)$"
os.remove(directory .. base)
local NAME = "t" .. base:gsub("[^%w]", "_")

-- Runs the program: { status, printed, problem }, with lists of lines. changes: fields of `io`
-- and `os` that are other ones meanwhile.
local function run(words, changes)
  local done = { printed = {}, problem = "" }
  local former = { arg = arg, stdout = io.stdout, stderr = io.stderr, exit = os.exit, rename = os.rename, open = io.open }
  rawset(_G, "arg", words)
  rawset(io, "stdout", changes and changes.stdout or {
    write = function(_, ...)
      for line in table.concat({ ... }):gmatch "([^\n]*)\n" do done.printed[#done.printed + 1] = line end
      return true
    end,
    flush = function() return true end,
  })
  rawset(io, "stderr", { write = function(_, ...) done.problem = done.problem .. table.concat { ... } end })
  rawset(os, "exit", function(status) error({ status = status }, 0) end)
  rawset(os, "rename", changes and changes.rename or os.rename)
  rawset(io, "open", changes and changes.open or io.open)
  local ok, left = pcall(assert(loadfile "src/bin/endpoint-types"))
  rawset(_G, "arg", former.arg)
  rawset(io, "stdout", former.stdout)
  rawset(io, "stderr", former.stderr)
  rawset(os, "exit", former.exit)
  rawset(os, "rename", former.rename)
  rawset(io, "open", former.open)
  if not ok and type(left) ~= "table" then error(left, 0) end
  done.status = ok and 0 or left.status
  return done
end

local function path_of(suffix) return directory .. NAME .. suffix end

local function exists(suffix)
  local file = io.open(path_of(suffix), "rb")
  return file ~= nil and file:close() ~= nil
end

local function write(suffix, text)
  local file = assert(io.open(path_of(suffix), "wb"))
  file:write(text)
  file:close()
end

local SUFFIXES = { ".lua", "-types-1.lua", "-types-2.lua", "-types-3.lua", "-types-4.lua", "-types-5.lua", ".json",
  ".lua.new", "-types-1.lua.new", "-types-2.lua.new", "-types-3.lua.new" }

local function remove_all()
  for _, suffix in ipairs(SUFFIXES) do os.remove(path_of(suffix)) end
end

-- What is there of the files that the program may write.
local function there()
  local found = {}
  for _, suffix in ipairs(SUFFIXES) do
    if suffix ~= ".json" and exists(suffix) then found[#found + 1] = suffix end
  end
  return found
end

local function run_on(file, changes)
  return run({ "--name", NAME, "--output", directory:sub(1, -2), file }, changes)
end

describe("endpoint-types", function()
  before_each(remove_all)
  after_each(remove_all)

  it("writes the module and its definitions, and says what it left out", function()
    local done = run_on "spec/programs/types/books.json"
    assert.same({ status = 0, problem = "", printed = { "9 operations, 1 left out",
      "GET /books/{isbn!}: {isbn!} in its path is no variable of RFC 6570" } }, done)
    assert.same({ ".lua", "-types-1.lua" }, there())
    local expected = support.read("spec/programs/types/books-types-1.lua"):gsub("books([.])", NAME .. "%1")
    assert.equal(expected, support.read(path_of "-types-1.lua"))
    local api = assert(loadfile(path_of ".lua"))()
    assert.equal("https://eu.books.example/v2/books/1", api("GET /books/{isbn}", { isbn = 1 }).url)
  end)

  it("takes the name from the file", function()
    local written = {}
    local done = run({ "spec/programs/types/books2.json" }, {
      open = function(path, mode)
        if mode == "wb" then written[#written + 1] = path end
        return open(mode == "wb" and path_of ".lua.new" or path, mode)
      end,
      rename = function() return true end,
    })
    assert.equal(0, done.status)
    assert.same({ "books2-types-1.lua.new", "books2.lua.new" }, written)
  end)

  it("says where a document has no server to be reached at", function()
    write(".json", '{"openapi":"3.0.0","paths":{},"servers":[{"url":"https://{x}"}]}')
    assert.same({ "0 operations, 0 left out", "Its first server is no baseUrl: set one with defaults." },
      run_on(path_of ".json").printed)
  end)

  it("reads a document behind a byte order mark", function()
    write(".json", '\239\187\191{"swagger":"2.0","paths":{}}')
    assert.equal(0, run_on(path_of ".json").status)
  end)

  it("removes the definitions of a run that had more files, and no other file", function()
    run_on "spec/programs/types/books.json"
    local text = support.read(path_of "-types-1.lua")
    write("-types-2.lua", text)
    write("-types-3.lua", text)
    write("-types-4.lua", "-- mine")
    write("-types-5.lua", text)
    assert.equal(0, run_on("spec/programs/types/books.json").status)
    assert.same({ ".lua", "-types-1.lua", "-types-4.lua", "-types-5.lua" }, there())
  end)

  it("shows its usage", function()
    local usage = "usage: endpoint-types [--name NAME] [--output DIR] FILE"
    assert.same({ status = 0, printed = { usage }, problem = "" }, run { "--help" })
    for _, words in ipairs { {}, { "--name" }, { "--output", "x" }, { "--nme", "x", "y" }, { "-x", "y" }, { "x", "y" },
      { "x", "--name" } } do
      assert.same({ status = 1, printed = {}, problem = "endpoint-types: " .. usage .. "\n" }, run(words))
    end
  end)

  -- text of the document, a part of the message
  local BAD = {
    { nil, "No such file" },
    { "", "no JSON: " },
    { "{", "no JSON: " },
    { "[1]", 'expected an OpenAPI document: "openapi" is 3.0 or 3.1' },
    { '"x"', "expected an OpenAPI document, got a string" },
    { "null", "expected an OpenAPI document, got a userdata" },
    { '{"openapi":"3.0.0"}', 'expected an OpenAPI document, which has "paths"' },
    { '{"openapi":"3.0.0","paths":{"/x":{"$ref":"#/y"}}}', '$ref "#/y" leads nowhere' },
    { '{"openapi":"3.0.0","paths":{"/x":{"$ref":"#/paths/~1x"}}}', '$ref "#/paths/~1x" leads in a circle' },
    { ('{"openapi":"3.0.0","paths":{"/x":%s'):format(("["):rep(5000)), "no JSON: " },
  }
  for i, row in ipairs(BAD) do
    it("says in one line what is wrong, and writes nothing, " .. i .. ": " .. row[2], function()
      if row[1] then write(".json", row[1]) end
      local done = run_on(path_of ".json")
      assert.equal(1, done.status)
      assert.truthy(done.problem:find "^endpoint%-types: [^\n]*\n$", done.problem)
      assert.truthy(done.problem:find(path_of ".json", 1, true) and done.problem:find(row[2], 1, true), done.problem)
      assert.same({}, done.printed)
      assert.same({}, there())
    end)
  end

  it("says that a name is none", function()
    local done = run { "--name", "a-b", "spec/programs/types/books.json" }
    assert.equal(1, done.status)
    local problem = 'endpoint-types: name: expected letters, digits and _, and no name of another module, got "a-b"\n'
    assert.equal(problem, done.problem)
  end)

  it("shows no control character of a file's name", function()
    local done = run { "--name", NAME, "none\27[m\194\155m" }
    assert.truthy(done.problem:find("endpoint-types: none?[m?m: ", 1, true), done.problem)
    assert.truthy(done.problem:find "^[^\n%c]*\n$")
  end)

  it("fails where what it prints cannot be written", function()
    local function full() return nil, "No space left on device" end
    for _, name in ipairs { "write", "flush" } do
      local output = { write = function() return true end, flush = function() return true end }
      output[name] = full
      for _, words in ipairs { { "--help" }, { "--name", NAME, "--output", directory, "spec/programs/types/books.json" } } do
        local done = run(words, { stdout = output })
        assert.equal(1, done.status)
        assert.equal("endpoint-types: No space left on device\n", done.problem)
      end
    end
  end)

  it("says that a directory is none", function()
    local done = run { "--name", NAME, "--output", directory .. NAME .. "/none", "spec/programs/types/books.json" }
    assert.equal(1, done.status)
    assert.truthy(done.problem:find "^endpoint%-types: [^\n]*none/[^\n]*\n$", done.problem)
  end)

  -- A file that takes no more bytes from its second write on.
  local function full_disk(path, mode)
    if mode ~= "wb" or not path:find "%.lua%.new$" then return open(path, mode) end
    local file = open(path, mode)
    return { write = function() return nil, "No space left on device" end, close = function() return file:close() end }
  end

  it("leaves no new file, and the old ones as they were, when a file cannot be written", function()
    write(".lua", "-- old")
    write("-types-1.lua", "-- old, too")
    for _, other in ipairs { full_disk, function(path, mode)
      if path == path_of ".lua.new" then return nil, path .. ": Permission denied" end
      return open(path, mode)
    end } do
      local done = run_on("spec/programs/types/books.json", { open = other })
      assert.equal(1, done.status)
      assert.truthy(done.problem:find "^endpoint%-types: [^\n]*\n$", done.problem)
      assert.same({ ".lua", "-types-1.lua" }, there())
      assert.equal("-- old", support.read(path_of ".lua"))
      assert.equal("-- old, too", support.read(path_of "-types-1.lua"))
    end
  end)

  it("leaves no new file when one cannot be put in its place", function()
    local done = run_on("spec/programs/types/books.json", { rename = function(_, path) return nil, path .. ": busy" end })
    assert.equal(1, done.status)
    assert.truthy(done.problem:find "busy\n$")
    assert.same({}, there())
  end)

  it("puts no file in place where a directory has the name of one", function()
    write("-types-1.lua", "-- old")
    local renamed = 0
    local function open_as_directory(path, mode)
      if path ~= path_of ".lua" then return open(path, mode) end
      return { read = function() return nil, "Is a directory", 21 end, close = function() end }
    end
    local done = run_on("spec/programs/types/books.json",
      { open = open_as_directory, rename = function() renamed = renamed + 1 end })
    assert.equal(1, done.status)
    assert.equal("endpoint-types: " .. path_of ".lua" .. ": Is a directory\n", done.problem)
    assert.equal(0, renamed)
    assert.same({ "-types-1.lua" }, there())
    assert.equal("-- old", support.read(path_of "-types-1.lua"))
  end)

  it("names the file that cannot be put in its place", function()
    local done = run_on("spec/programs/types/books.json", { rename = function() return nil, "busy" end })
    assert.equal("endpoint-types: " .. path_of "-types-1.lua" .. ": busy\n", done.problem)
  end)

  it("replaces files where no file can be renamed to one that is there", function()
    local rename = os.rename
    write(".lua", "-- old")
    local done = run_on("spec/programs/types/books.json", { rename = function(from, to)
      local file = open(to, "rb")
      if file then file:close() return nil, "File exists" end
      return rename(from, to)
    end })
    assert.equal(0, done.status)
    assert.truthy(support.read(path_of ".lua"):find "^%-%- Books")
  end)

  it("names a module that is missing", function()
    for _, name in ipairs { "cjson", "endpoint.types" } do
      local former, preload = package.loaded[name], package.preload[name]
      package.loaded[name] = nil
      package.preload[name] = function() error("no\nsuch module", 0) end
      local done = run_on "spec/programs/types/books.json"
      package.loaded[name], package.preload[name] = former, preload
      assert.equal(1, done.status)
      assert.truthy(done.problem:find("the module " .. name .. " cannot be loaded: ", 1, true), done.problem)
      assert.truthy(done.problem:find "^[^\n]*\n$")
    end
  end)
end)
