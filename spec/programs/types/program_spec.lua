-- The program endpoint-types: its arguments, files and messages. It runs in this process, with
-- stand-ins for what it prints to and leaves by.
package.path = "src/?.lua;" .. package.path
local support = require "support"

local open = io.open
local BOOKS = "spec/programs/types/books.json"

local directory, base = os.tmpname():match "^(.*[/\\])([^/\\]*)$"
os.remove(directory .. base)
local NAME = "t" .. base:gsub("[^%w]", "_")
local NEW = ".spec.new" -- os.tmpname is a stand-in, too

-- Runs the program: { status, printed, problem }, with lists of lines. changes: fields of `io`
-- and `os` that are other ones meanwhile.
local function run(words, changes)
  local done, others = { printed = {}, problem = "" }, changes or {}
  local stdout, stderr = {}, {}
  function stdout.write(_, ...)
    for line in table.concat({ ... }):gmatch "([^\n]*)\n" do done.printed[#done.printed + 1] = line end
    return true
  end
  function stdout.flush() return true end
  function stderr.write(_, ...) done.problem = done.problem .. table.concat { ... } end
  local places = { { _G, "arg", words }, { io, "stdout", others.stdout or stdout }, { io, "stderr", stderr },
    { os, "exit", function(status) error({ status = status }, 0) end }, { os, "execute", others.execute or os.execute },
    { os, "tmpname", function() return "/nowhere/spec" end }, { io, "stdin", others.stdin or io.stdin },
    { os, "rename", others.rename or os.rename },
    { io, "open", others.open or open } }
  for _, place in ipairs(places) do
    place.former = rawget(place[1], place[2])
    rawset(place[1], place[2], place[3])
  end
  local ok, left = pcall(assert(loadfile "src/bin/endpoint-types"))
  for _, place in ipairs(places) do rawset(place[1], place[2], place.former) end
  if not ok and type(left) ~= "table" then error(left, 0) end
  done.status = ok and 0 or left.status
  return done
end

local function path_of(suffix) return directory .. NAME .. suffix end
local function write(suffix, text) support.write(path_of(suffix), text) end

local SUFFIXES = { ".lua", "-types-1.lua", "-types-2.lua", "-types-3.lua", "-types-4.lua", "-types-5.lua",
  ".lua" .. NEW, "-types-1.lua" .. NEW, "-types-2.lua" .. NEW, "-types-3.lua" .. NEW }

local function remove_all()
  os.remove(path_of ".json")
  for _, suffix in ipairs(SUFFIXES) do os.remove(path_of(suffix)) end
end

-- What is there of the files that the program may write.
local function there()
  local found = {}
  for _, suffix in ipairs(SUFFIXES) do
    local file = open(path_of(suffix), "rb")
    if file then
      file:close()
      found[#found + 1] = suffix
    end
  end
  return found
end

local function run_on(file, changes)
  return run({ "--name", NAME, "--output", directory:sub(1, -2), file }, changes)
end

describe("endpoint-types", function()
  before_each(remove_all)
  teardown(remove_all)

  it("writes the module and its definitions, and says what it left out", function()
    local done = run_on(BOOKS)
    assert.same({ status = 0, problem = "", printed = { "7 operations, 1 left out",
      "GET /books/{isbn!}: {isbn!} in its path is no variable of RFC 6570", "Its server is https://eu.books.example/v2, " ..
      "with region = eu, version = 2: set another baseUrl with defaults." } }, done)
    assert.same({ ".lua", "-types-1.lua" }, there())
    local expected = support.read("spec/programs/types/books-types-1.lua"):gsub("books([.])", NAME .. "%1")
    assert.equal(expected, support.read(path_of "-types-1.lua"))
    local api = assert(loadfile(path_of ".lua"))()
    assert.equal("https://eu.books.example/v2/books/1", api("GET /books/{isbn}", { isbn = 1 }).url)
  end)

  it("takes the name from the file", function()
    local written = {}
    local done = run({ BOOKS }, {
      open = function(path, mode)
        if mode == "wb" then written[#written + 1] = path end
        return open(mode == "wb" and path_of(".lua" .. NEW) or mode == "rb" and path == BOOKS and path or "/nowhere", mode)
      end,
      rename = function() return true end,
    })
    assert.equal(0, done.status)
    assert.same({ "books-types-1.lua" .. NEW, "books.lua" .. NEW }, written)
  end)

  it("reads a document behind a byte order mark, and says where it has no server to be reached at", function()
    write(".json", '\239\187\191{"openapi":"3.0.0","paths":{},"servers":[{"url":"https://{x}"}]}')
    assert.same({ "0 operations, 0 left out", "Its first server is no baseUrl: set one with defaults." },
      run_on(path_of ".json").printed)
  end)

  it("removes the definitions of a run that had more files, and no other file", function()
    run_on(BOOKS)
    local text = support.read(path_of "-types-1.lua")
    write("-types-2.lua", text)
    write("-types-3.lua", text)
    write("-types-4.lua", "-- mine")
    write("-types-5.lua", text)
    assert.equal(0, run_on(BOOKS).status)
    assert.same({ ".lua", "-types-1.lua", "-types-4.lua", "-types-5.lua" }, there())
  end)

  it("shows its usage", function()
    local help = run { "--help" }
    assert.equal(0, help.status)
    assert.equal("usage: endpoint-types [OPTION...] FILE", help.printed[1])
    for _, line in ipairs(help.printed) do assert.is_true(#line <= 105) end
    local usage = "usage: endpoint-types [OPTION...] FILE (--help explains the options)"
    assert.equal("endpoint-types: " .. usage .. "\n", run({}).problem)
    assert.equal("endpoint-types: " .. usage .. "\n", run({ "--force" }).problem)
  end)

  it("says its version, and the settings of an editor", function()
    assert.same({ "endpoint-types " .. require "endpoint"._VERSION }, run { "--version" }.printed)
    assert.same({ "{", '  "workspace.library": ["src/addon/library"]', "}" }, run { "--luarc" }.printed)
  end)

  it("takes a part of a document, from the standard input", function()
    local stdin = { read = function() return support.read(BOOKS) end }
    local words = { "--name", NAME, "--output", directory, "--only", "GET *", "--only", "/login", "--responses", "-" }
    assert.equal("4 operations, 1 left out", run(words, { stdin = stdin }).printed[1])
    assert.equal("endpoint-types: --name: what the standard input brings has no name of its own\n",
      run({ "-" }, { stdin = stdin }).problem)
  end)

  it("replaces no file that it did not write, unless it is told to", function()
    for _, suffix in ipairs { ".lua", "-types-1.lua" } do
      write(suffix, "-- mine\n-- all mine\n")
      assert.same({ status = 1, printed = {}, problem = "endpoint-types: " .. path_of(suffix) ..
        ": it is there, and endpoint-types did not write it (--force replaces it)\n" }, run_on(BOOKS))
      assert.same({ suffix }, there())
      assert.equal(0, run({ "--force", "--name", NAME, "--output", directory, BOOKS }).status)
      remove_all()
    end
  end)

  it("writes into no file that is there", function()
    write(".lua" .. NEW, "-- mine")
    assert.equal("endpoint-types: " .. path_of(".lua" .. NEW) .. ": File exists\n", run_on(BOOKS).problem)
  end)

  it("says how far it is, where somebody looks on", function()
    local stdin = { read = function() return support.read(BOOKS) .. (" "):rep(4000000) end }
    local words = { "--name", NAME, "--output", directory, "-" }
    for _, answer in ipairs { 0, true } do
      assert.equal("\r7 of 7 operations\n", run(words, { stdin = stdin, execute = function() return answer end }).problem)
    end
    assert.equal("", run(words, { stdin = stdin, execute = function() return nil end }).problem)
  end)

  -- How documents are in YAML: JSON's schema of YAML 1.2.
  local YAML = [[
openapi: 3.0.0 # a comment
info: &info { title: on }
servers: [ { url: "https://{v}.example", variables: { v: { default: 1 } } } ]
paths:
  /x:
    get:
      parameters:
        - &q { name: q, in: query, required: true, schema: { enum: [ no, 1_000, 2020-01-01, 0x1F, 007, '1', 2, 1.5e3, ~ ] } }
      responses: { 200: { content: { application/json: *info } } }
    post: { parameters: [ *q ] }
]]

  it("reads YAML where lyaml is installed, and else says the cure", function()
    if pcall(require, "yaml") then
      write(".json", YAML)
      assert.equal("2 operations, 0 left out", run_on(path_of ".json").printed[1])
      local text = support.read(path_of "-types-1.lua")
      local enum = '"no"|"1_000"|"2020-01-01"|"0x1F"|"007"|"1"|2|1500|endpoint.Null'
      assert.truthy(text:find("@field q " .. enum .. "\n", 1, true), text)
      local defaults = '"https://1.example", headers = { accept = "application/json" }'
      assert.truthy(support.read(path_of ".lua"):find(defaults, 1, true))
      write(".json", "a: *b\n")
      assert.truthy(run_on(path_of ".json").problem:find "no YAML: [^\n]*\n$")
    end
    local former = package.loaded.yaml
    package.loaded.yaml, package.preload.yaml = nil, function() error("none", 0) end
    write(".json", YAML)
    local done = run_on(path_of ".json")
    package.loaded.yaml, package.preload.yaml = former, nil
    assert.truthy(done.problem:find("no JSON. For YAML install lyaml (Debian: lua-yaml)", 1, true), done.problem)
  end)

  -- text of the document, a part of the message
  local BAD = {
    { nil, "No such file" },
    { "{", "no JSON: " },
    { "null", "expected an OpenAPI document, got a userdata" },
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

  -- the words, the message
  local REFUSED = {
    { { "--name", "a-b", BOOKS }, '--name: expected letters, digits and _, and no name of another module, got "a-b"' },
    { { "--name" }, "--name: it has no value (--help explains the options)" },
    { { "x", "--output", "" }, "--output: it has no value (--help explains the options)" },
    { { "--nme", "x" }, "--nme: no such option (--help explains the options)" },
    { { "-x", "y" }, "-x: no such option (--help explains the options)" },
    { { "x", "y" }, "y: a second FILE (--help explains the options)" },
    { { "--only", "GET /book", BOOKS },
      '--only "GET /book": the document has no such operation. The nearest is "GET /books"' },
    { { "--name", NAME, "none\27[m\194\155m" }, "none?[m?m: No such file or directory" },
    { { "--name", NAME, "--output", directory .. NAME .. "/none", BOOKS },
      path_of "/none/" .. NAME .. "-types-1.lua: No such file or directory" },
  }
  for _, row in ipairs(REFUSED) do
    it("refuses " .. row[2]:gsub(NAME, "t"), function()
      assert.same({ status = 1, printed = {}, problem = "endpoint-types: " .. row[2] .. "\n" }, run(row[1]))
    end)
  end

  it("fails where what it prints cannot be written", function()
    for _, name in ipairs { "write", "flush" } do
      local output = { write = function() return true end, flush = function() return true end }
      output[name] = function() return nil, "No space left on device" end
      for _, words in ipairs { { "--help" }, { "--name", NAME, "--output", directory, BOOKS } } do
        assert.same({ status = 1, printed = {}, problem = "endpoint-types: No space left on device\n" },
          run(words, { stdout = output }))
      end
    end
  end)

  -- An `open` that does something else with one of the files, in that mode.
  local function opens(suffix, its_mode, other)
    return function(path, mode)
      if path == path_of(suffix) and mode == its_mode then return other(path, mode) end
      return open(path, mode)
    end
  end

  local function denied(path) return nil, path .. ": Permission denied" end
  local function a_directory() return { read = function() return nil, "Is a directory", 21 end, close = function() end } end
  local function on_full_disk(path, mode)
    local file = open(path, mode)
    return { write = function() return nil, "No space left on device" end, close = function() return file:close() end }
  end
  local OLD = { ".lua", "-types-1.lua" }
  local OLD_TEXT = "-- old\n-- Written by endpoint-types. Not to be changed by hand.\n"

  -- what happens, the files there before and after, what the system does, the message
  local FAILURES = {
    { "a file cannot be opened", OLD, { open = opens(".lua" .. NEW, "wb", denied) },
      path_of ".lua" .. ": Permission denied" },
    { "a file cannot be written", OLD, { open = opens(".lua" .. NEW, "wb", on_full_disk) },
      path_of ".lua" .. ": No space left on device" },
    { "a directory has the name of a file", { "-types-1.lua" }, { open = opens(".lua", "rb", a_directory), rename = error },
      path_of ".lua" .. ": Is a directory" },
    { "a file cannot be put in its place", {}, { rename = function() return nil, "busy" end },
      path_of "-types-1.lua" .. ": busy" },
  }
  for _, row in ipairs(FAILURES) do
    it("leaves no new file, and the old ones as they were, where " .. row[1], function()
      for _, suffix in ipairs(row[2]) do write(suffix, OLD_TEXT .. suffix) end
      assert.same({ status = 1, printed = {}, problem = "endpoint-types: " .. row[4] .. "\n" },
        run_on(BOOKS, row[3]))
      assert.same(row[2], there())
      for _, suffix in ipairs(row[2]) do assert.equal(OLD_TEXT .. suffix, support.read(path_of(suffix))) end
    end)
  end

  it("replaces files where no file can be renamed to one that is there", function()
    local rename = os.rename
    write(".lua", OLD_TEXT)
    local done = run_on(BOOKS, { rename = function(from, to)
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
      local done = run_on(BOOKS)
      package.loaded[name], package.preload[name] = former, preload
      assert.equal(1, done.status)
      assert.truthy(done.problem:find("the module " .. name .. " cannot be loaded: ", 1, true), done.problem)
      assert.truthy(done.problem:find "^[^\n]*\n$")
    end
  end)
end)
