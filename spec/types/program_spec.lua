-- The program endpoint-types: its arguments, files and messages. It runs in this process, with
-- stand-ins for its files, for what it prints to and for what it leaves by.
-- spec/docs/commands_wire_spec.lua runs it as it is.
package.path = "src/?.lua;" .. package.path
local support = require "support"
local unseen = require "text.unseen"

local BOOKS = support.read "spec/types/books.json"
local BOM, NEW = "\239\187\191", ".spec.new" -- os.tmpname is a stand-in, too
local OLD = "-- old\n-- Written by endpoint-types. Not to be changed by hand.\n"

-- --- the system -------------------------------------------------------------------

local function fails(path, why)
  return nil, path .. ": " .. why
end

local function file_of(text)
  local function read(_, size)
    return size == "*a" and text or text:sub(1, size)
  end
  return {
    read = read,
    close = function()
      return true
    end,
  }
end

-- A system whose files are the texts of a table, and which has no directory "none". others:
-- functions that it has in the place of its own; each gets the own one first.
local function new_system(files, others)
  local system = {}
  function system.open(path, mode)
    if mode == "wb" and not path:find "none/" then
      local function write(_, text)
        files[path] = text
        return true
      end
      return {
        write = write,
        close = function()
          return true
        end,
      }
    end
    local text = mode == "rb" and (files[path] or path:find "^src/addon/" and "")
    if not text then
      return fails(path, "No such file or directory")
    end
    return file_of(text)
  end
  function system.rename(from, to)
    files[to], files[from] = files[from], nil
    return true
  end
  function system.remove(path)
    files[path] = nil
  end
  function system.execute()
    return nil
  end
  for name, other in pairs(others or {}) do
    local own = system[name]
    system[name] = function(...)
      return other(own, ...)
    end
  end
  return system
end

-- --- the program --------------------------------------------------------------------

local function collect(list)
  local function write(_, ...)
    list[#list + 1] = table.concat { ... }
    return true
  end
  return {
    write = write,
    flush = function()
      return true
    end,
  }
end

-- Runs the program: its status, what it printed and its problem. words: the arguments, and `stdin`.
-- The files change.
local function run(words, files, others)
  local system, printed, problem = new_system(files or {}, others), {}, {}
  local places = {
    { _G, "arg", words },
    { io, "stdout", system.stdout and system.stdout() or collect(printed) },
    { io, "stderr", collect(problem) },
    { io, "stdin", { read = file_of(words.stdin).read } },
    {
      os,
      "exit",
      function(status)
        error({ status = status }, 0)
      end,
    },
    { os, "execute", system.execute },
    {
      os,
      "tmpname",
      function()
        return "/nowhere/spec"
      end,
    },
    { os, "rename", system.rename },
    { os, "remove", system.remove },
    { io, "open", system.open },
  }
  for _, place in ipairs(places) do
    place.former = rawget(place[1], place[2])
    rawset(place[1], place[2], place[3])
  end
  local ok, left = pcall(assert(loadfile "src/bin/endpoint-types"))
  for _, place in ipairs(places) do
    rawset(place[1], place[2], place.former)
  end
  if not ok and type(left) ~= "table" then
    error(left, 0)
  end
  return {
    status = ok and 0 or left.status,
    printed = table.concat(printed),
    problem = table.concat(problem),
  }
end

-- The same with a document that is a file. more: other files.
local function run_on(text, more, others)
  local files = { ["books.json"] = text }
  for name, other in pairs(more or {}) do
    files[name] = other
  end
  return run({ "books.json" }, files, others), files
end

local function names_of(files)
  local names = {}
  for name in pairs(files) do
    names[#names + 1] = name
  end
  table.sort(names)
  return table.concat(names, " ")
end

describe("endpoint-types", function()
  it("writes the definitions, the rules and the module, and says what it left out", function()
    local files = { ["books.json"] = BOOKS }
    assert.same({
      status = 0,
      problem = "",
      printed = [[
5 operations, 1 left out
GET /books/{isbn!}: {isbn!} in its path is not a variable of RFC 6570
Its server is https://eu.books.example/v2, with region = eu, version = 2: ]]
        .. "set another baseUrl with defaults.\n",
    }, run({ "--checks", "--responses", "books.json" }, files))
    assert.equal("books-checks.lua books-types-1.lua books.json books.lua", names_of(files))
    for name, text in pairs(files) do
      support.same_text(support.read("spec/types/" .. name), text, name)
    end
  end)

  for _, character in ipairs(unseen.CHARACTERS) do
    it("does not show " .. character[1] .. " in a problem", function()
      local problem = run({ "a" .. character[2] .. "b" }).problem
      assert.equal("endpoint-types: a?b: No such file or directory\n", problem)
    end)

    it("does not show " .. character[1] .. " in its report", function()
      local paths = { ["a" .. character[2] .. "b"] = { get = {} } }
      local document =
        { openapi = "3.0.0", paths = paths, servers = { { url = "https://h.example" } } }
      local printed = run_on(require "cjson".encode(document)).printed
      assert.truthy(printed:find("GET a?b: ", 1, true), printed)
    end)
  end

  for _, character in ipairs(unseen.SHOWN_CHARACTERS) do
    it("shows " .. character[1] .. " in a problem", function()
      local problem = run({ "a" .. character[2] .. "b" }).problem
      local name = "a" .. character[2] .. "b"
      assert.equal(("endpoint-types: %s: No such file or directory\n"):format(name), problem)
    end)
  end

  it("takes the name from the file", function()
    local files = { ["2/9a.json.v1.JSON"] = BOOKS, ["a.yml.b.yml"] = BOOKS }
    run({ "--output", "x/", "2/9a.json.v1.JSON" }, files)
    run({ "--output", "x", "a.yml.b.yml" }, files)
    assert.equal(
      "2/9a.json.v1.JSON a.yml.b.yml x/_9a_json_v1-types-1.lua x/_9a_json_v1.lua "
        .. "x/a_yml_b-types-1.lua "
        .. "x/a_yml_b.lua",
      names_of(files)
    )
  end)

  it(
    "reads a document after a byte order mark, and says where it has no server to be reached at",
    function()
      local text = '{"openapi":"3.0.0","paths":{"%s":{"get":{}}},"servers":[{"url":"https://{x}"}]}'
      assert.equal(
        "1 operations, 1 left out\nGET ?: its path does not begin with a slash\n"
          .. "Its first server cannot be a baseUrl: set one with defaults.\n",
        run_on(BOM .. text:format(BOM)).printed
      )
    end
  )

  it("removes the definitions of a run that had more files, and no other file", function()
    local _, files = run_on(BOOKS, {
      ["books.lua"] = OLD,
      ["books-types-2.lua"] = OLD,
      ["books-types-3.lua"] = OLD,
      ["books-types-4.lua"] = "-- mine",
      ["books-types-5.lua"] = OLD,
    })
    assert.equal(
      "books-types-1.lua books-types-4.lua books-types-5.lua books.json books.lua",
      names_of(files)
    )
  end)

  it("shows its usage", function()
    local help = run { "--help" }
    assert.equal(0, help.status)
    assert.truthy(help.printed:find("usage: endpoint-types [OPTION...] FILE\n", 1, true))
    for line in help.printed:gmatch "[^\n]*" do
      assert.is_true(#line <= 105)
    end
    local options, page = {}, {}
    for option in help.printed:gmatch "\n  (%-%-%l+)" do
      options[#options + 1] = option
    end
    local text = support.read("src/bin/endpoint-types.1"):gsub("\\", "")
    for option in text:gmatch "\n%.TP\n%.BI? (%-%-%l+)" do
      page[#page + 1] = option
    end
    assert.same(options, page)
  end)

  it("says its version, and the settings of an editor", function()
    assert.equal(
      "endpoint-types " .. require "endpoint"._VERSION .. "\n",
      run({ "--version" }).printed
    )
    assert.equal('{\n  "workspace.library": ["src/addon/library"]\n}\n', run({ "--luarc" }).printed)
  end)

  it("takes a part of a document, from the standard input", function()
    local words =
      { "--name", "x", "--only", "GET *", "--only", "/login", "--responses", "-", stdin = BOOKS }
    local done = run(words)
    assert.truthy(done.printed:find "^4 operations, 1 left out\n", done.problem)
  end)

  it(
    "replaces a file that it did not write where it is told to, and where nothing can be renamed "
      .. "to it",
    function()
      local files = { ["books.json"] = BOOKS, ["books.lua"] = "-- mine" }
      local function rename(own, from, to)
        if files[to] then
          return nil, "File exists"
        end
        return own(from, to)
      end
      assert.equal(0, run({ "--force", "books.json" }, files, { rename = rename }).status)
      assert.truthy(files["books.lua"]:find "^%-%- Books")
    end
  )

  it("says how far it is, where somebody looks on", function()
    local paths, said =
      {}, "\r200 of 401 operations\r400 of 401 operations\r401 of 401 operations\n"
    for i = 1, 401 do
      paths[i] = ('"/%d":{"get":{}}'):format(i)
    end
    local text = '{"openapi":"3.0.0","paths":{' .. table.concat(paths, ",") .. "}}"
    local long = text .. (" "):rep(4000000 - #text)
    for _, answer in ipairs { 0, true } do
      local looks_on = {
        execute = function()
          return answer
        end,
      }
      assert.equal(said, run_on(long, {}, looks_on).problem)
      assert.equal("", run_on(long).problem .. run_on(long:sub(1, -2), {}, looks_on).problem)
    end
  end)

  -- How documents are in YAML: JSON's schema of YAML 1.2.
  local YAML = [[
openapi: 3.0.0 # a comment
info: &info { title: &on on, *on : 1, x: &ok 200 }
servers: [ { url: "https://{v}.example", variables: { v: { default: 1 } } } ]
paths:
  /x:
    get:
      parameters:
        - &q { name: q, in: query, required: true, schema: { enum: [ no, 1_000, 2020-01-01,
            0x10, 007, '1', 2, 1.5e3, ~, false, a10, 1e+1, 105 ] } }
      responses: { *ok : { content: { application/json: *info } } }
    post: { parameters: [ *q ] }
    put: { x-base: &base { parameters: [ *q ], deprecated: true },
      <<: [ *base, { parameters: [] } ], deprecated: false }
---
another: document
]]

  it("reads YAML where lyaml is installed, and else says the cure", function()
    if pcall(require, "yaml") then
      local function merging(count, text)
        for i = 1, count do
          text = text .. ("k%d: &k%d { x%d: 1, <<: *k%d }\n"):format(i, i, i, i - 1)
        end
        return text
      end
      local done, files = run_on(merging(500, "k0: &k0 { x: 1 }\n") .. YAML) -- 125,000 keys
      assert.truthy(done.printed:find "^3 operations, 0 left out\n", done.problem)
      local enum =
        '"no"|"1_000"|"2020-01-01"|"0x10"|"007"|"1"|2|1500|endpoint.Null|false|"a10"|10|105'
      assert.truthy(files["books-types-1.lua"]:find("@field q " .. enum .. "\n", 1, true))
      local defaults = '"https://1.example", headers = { accept = "application/json" }'
      assert.truthy(files["books.lua"]:find(defaults, 1, true))
      assert.truthy(
        files["books-types-1.lua"]:find("class books.PUT_x : books.Options\n---@field q ", 1, true)
      )
      for problem, text in pairs {
        ["an alias without an anchor"] = "a: *b\n",
        ["<< is a map, or a list"] = "a: { <<: 5 }\n",
        ["a key that is not a string"] = "? [a]\n: 1\n",
        ["its << keys would make"] = merging(2000, "k0: &k0 { x: 1 }\n"),
      } do
        assert.truthy(run_on(text).problem:find("no YAML: " .. problem, 1, true), problem)
      end
    end
    local former = package.loaded.yaml
    for _, loads in ipairs {
      function()
        error("none", 0)
      end,
      function()
        return {}
      end,
    } do
      package.loaded.yaml, package.preload.yaml = nil, loads
      local done = run_on(YAML)
      package.loaded.yaml, package.preload.yaml = former, nil
      assert.truthy(
        done.problem:find("no JSON. For YAML install lyaml (Debian: lua-yaml)", 1, true),
        done.problem
      )
    end
  end)

  -- the words, the message; books.json is there
  local USAGE, HELP = "usage: endpoint-types [OPTION...] FILE", " (--help explains the options)"
  local REFUSED = {
    { {}, USAGE .. HELP },
    { { "--force" }, USAGE .. HELP },
    { { "--name" }, "--name: it has no value" .. HELP },
    { { "none/" }, "none/: No such file or directory" },
    { { "x", "--output", "" }, "--output: it has no value" .. HELP },
    { { "-x", "y" }, "-x: no such option" .. HELP },
    { { "--force=1", "y" }, "--force=1: no such option" .. HELP },
    { { "x--force", "y" }, "y: a second FILE" .. HELP },
    { { "-" }, "--name is required when FILE is -" },
    { { "--name", "x", "none\27[m\194\155m" }, "none?[m?m: No such file or directory" },
    { { "--output", "none", "books.json" }, "none/books-types-1.lua: No such file or directory" },
    {
      { "--name", "a-b", "books.json" },
      '--name: expected letters, digits and _, and no name of another module, got "a-b"',
    },
    {
      { "--only", "GET /book", "books.json" },
      '--only "GET /book": the document has no such operation. The nearest is "GET /books"',
    },
  }
  for _, row in ipairs(REFUSED) do
    it("refuses " .. row[2], function()
      local files = { ["books.json"] = BOOKS }
      assert.same(
        { status = 1, printed = "", problem = "endpoint-types: " .. row[2] .. "\n" },
        run(row[1], files)
      )
      assert.same({ ["books.json"] = BOOKS }, files)
    end)
  end

  for text, words in pairs {
    [BOM .. "{"] = "no JSON: ",
    null = "expected an OpenAPI document, got a userdata",
    [('{"openapi":"3.0.0","paths":{"/x":%s'):format(("["):rep(5000))] = "no JSON: ",
  } do
    it("says in one line what is wrong with a document: " .. text:sub(1, 10), function()
      local done, files = run_on(text)
      assert.equal(1, done.status)
      assert.truthy(done.problem:find "^endpoint%-types: books.json: [^\n]*\n$", done.problem)
      assert.truthy(done.problem:find(words, 1, true), done.problem)
      assert.equal("books.json", names_of(files))
    end)
  end

  it("fails where what it prints cannot be written", function()
    for _, name in ipairs { "write", "flush" } do
      local output = collect {}
      output[name] = function()
        return nil, "No space left on device"
      end
      for _, words in ipairs { { "--help" }, { "books.json" } } do
        assert.same(
          { status = 1, printed = "", problem = "endpoint-types: No space left on device\n" },
          run(words, { ["books.json"] = BOOKS }, {
            stdout = function()
              return output
            end,
          })
        )
      end
    end
  end)

  -- An `open` that gives another file or an error for one path, in one mode.
  local function opens(its_path, its_mode, ...)
    local answer, problem = ...
    return {
      open = function(open, path, mode)
        if path ~= its_path or mode ~= its_mode then
          return open(path, mode)
        end
        return answer, problem
      end,
    }
  end

  local A_DIRECTORY = {
    read = function()
      return nil, "Is a directory", 21
    end,
    close = function() end,
  }
  local ON_FULL_DISK = {
    write = function()
      return nil, "No space left on device"
    end,
    close = function()
      return true
    end,
  }
  local FOREIGN = ": it is there, and endpoint-types did not write it (--force replaces it)"

  -- what happens, the files there before and after, what the system does, the message
  local FAILURES = {
    {
      "a file cannot be opened",
      { ["books.lua"] = OLD, ["books-types-1.lua"] = OLD },
      opens("books.lua" .. NEW, "wb", fails("books.lua" .. NEW, "Permission denied")),
      "books.lua: Permission denied",
    },
    {
      "a file cannot be written",
      { ["books.lua"] = OLD, ["books-types-1.lua"] = OLD },
      opens("books.lua" .. NEW, "wb", ON_FULL_DISK),
      "books.lua: No space left on device",
    },
    {
      "a directory has the name of a file",
      { ["books-types-1.lua"] = OLD },
      opens("books.lua", "rb", A_DIRECTORY),
      "books.lua: Is a directory",
    },
    {
      "a file cannot be put in its place",
      {},
      {
        rename = function()
          return nil, "busy"
        end,
      },
      "books-types-1.lua: busy",
    },
    {
      "the module is somebody's",
      { ["books.lua"] = "-- mine\n-- mine\n" },
      {},
      "books.lua" .. FOREIGN,
    },
    {
      "the definitions are somebody's",
      { ["books-types-1.lua"] = "-- mine\n" },
      {},
      "books-types-1.lua" .. FOREIGN,
    },
    {
      "a new file is there",
      { ["books.lua" .. NEW] = "-- mine" },
      {},
      "books.lua" .. NEW .. ": File exists",
    },
  }
  for _, row in ipairs(FAILURES) do
    it("leaves no new file, and the old ones as they were, where " .. row[1], function()
      local done, files = run_on(BOOKS, row[2], row[3])
      assert.same(
        { status = 1, printed = "", problem = "endpoint-types: " .. row[4] .. "\n" },
        done
      )
      row[2]["books.json"] = BOOKS
      assert.same(row[2], files)
    end)
  end

  it("looks for modules below its own prefix, last", function()
    local path, cpath, version = package.path, package.cpath, _VERSION:match "%d.*"
    local places = "%s;%sshare/lua/" .. version .. "/?.lua %s;%slib/lua/" .. version .. "/?.so"
    for program, prefix in pairs {
      ["/bin/p\\bin\\x"] = "/bin/p/",
      ["bin/"] = "",
      ["/p/bin/x/x"] = false,
    } do
      run { "--help", [0] = program }
      local found = package.path .. " " .. package.cpath
      package.path, package.cpath = path, cpath
      assert.equal(
        prefix and places:format(path, prefix, cpath, prefix) or path .. " " .. cpath,
        found
      )
    end
  end)

  it(
    "looks for the definitions of `endpoint` in its sources, below its prefix, and in its rock",
    function()
      local name, looked, version = "endpoint.types", {}, _VERSION:match "%d.*"
      local former, base = package.loaded[name], "/p/share/lua/" .. version .. "/"
      package.loaded[name] = {
        generate = (loadstring or load)("", "@" .. base:gsub("/", "\\") .. "endpoint\\types.lua"),
      }
      run({ "--luarc" }, {}, {
        open = function(_, path)
          looked[#looked + 1] = path
        end,
      })
      package.loaded[name] = former
      local rock = "/p/lib/luarocks/rocks-"
        .. version
        .. "/endpoint/%s-1/src/addon/library/endpoint.lua"
      assert.same({
        base .. "addon/library/endpoint.lua",
        "/p/share/endpoint/addon/library/endpoint.lua",
        rock:format(require "endpoint"._VERSION),
        rock:format "scm",
      }, looked)
    end
  )

  it("names a module that is missing", function()
    for _, name in ipairs { "cjson", "endpoint.types" } do
      local former, preload = package.loaded[name], package.preload[name]
      package.loaded[name] = nil
      package.preload[name] = function()
        error("no\nsuch module", 0)
      end
      local done = run_on(BOOKS)
      package.loaded[name], package.preload[name] = former, preload
      assert.equal(1, done.status)
      local message = "^endpoint%-types: the module "
        .. name
        .. " cannot be loaded: no %(Lua looks [^\n]*PATH[^\n]*\n$"
      assert.truthy(done.problem:find(message), done.problem)
    end
  end)
end)
