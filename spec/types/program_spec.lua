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
  describe("with --checks and --responses", function()
    local files, done = { ["books.json"] = BOOKS }, nil
    setup(function()
      done = run({ "--checks", "--responses", "books.json" }, files)
    end)

    it("succeeds, and prints nothing to stderr", function()
      assert.same({ 0, "" }, { done.status, done.problem })
    end)

    it("says what it left out, and what it chose of the server", function()
      support.same_text(
        "5 operations, 1 left out\n"
          .. "GET /books/{isbn!}: {isbn!} in its path is not a variable of RFC 6570\n"
          .. "Its server is https://eu.books.example/v2, with region = eu, version = 2: "
          .. "set another baseUrl with defaults.\n",
        done.printed
      )
    end)

    it("writes the definitions, the rules and the module, and no other file", function()
      assert.equal("books-checks.lua books-types-1.lua books.json books.lua", names_of(files))
    end)

    for _, name in ipairs { "books-checks.lua", "books-types-1.lua", "books.lua" } do
      it("writes " .. name .. " as spec/types has it", function()
        support.same_text(support.read("spec/types/" .. name), files[name], name)
      end)
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

  it("reads a document after a byte order mark, and says that its server has no address", function()
    local text = '{"openapi":"3.0.0","paths":{"%s":{"get":{}}},"servers":[{"url":"https://{x}"}]}'
    assert.equal(
      "1 operations, 1 left out\nGET ?: its path does not begin with a slash\n"
        .. "Its first server cannot be a baseUrl: set one with defaults.\n",
      run_on(BOM .. text:format(BOM)).printed
    )
  end)

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

  describe("with --help", function()
    local help
    setup(function()
      help = run { "--help" }
    end)

    it("shows its usage", function()
      assert.equal(0, help.status)
      local usage = "usage: endpoint-types [OPTION...] FILE\n"
      assert.truthy(help.printed:find(usage, 1, true), help.printed)
    end)

    it("prints lines of at most 105 bytes", function()
      for line in help.printed:gmatch "[^\n]*" do
        assert.is_true(#line <= 105, line)
      end
    end)

    it("names the options of its page, in the same order", function()
      local options, page = {}, {}
      for option in help.printed:gmatch "\n  (%-%-[%l-]+)" do
        options[#options + 1] = option
      end
      local text = support.read("src/bin/endpoint-types.1"):gsub("\\", "")
      for option in text:gmatch "\n%.TP\n%.BI? (%-%-[%l-]+)" do
        page[#page + 1] = option
      end
      assert.same(options, page)
    end)
  end)

  it("says its version", function()
    local version = "endpoint-types " .. require "endpoint"._VERSION .. "\n"
    assert.equal(version, run({ "--version" }).printed)
  end)

  it("prints a document to try, which it can read", function()
    local example = run({ "--example" }).printed
    local words = { "--name", "shop", "--checks", "--responses", "-", stdin = example }
    local done = run(words)
    assert.truthy(done.printed:find "^4 operations, 0 left out\n", done.printed .. done.problem)
  end)

  it("says the settings of an editor", function()
    local settings = '{\n  "diagnostics.globals": ["vim"],\n'
      .. '  "workspace.library": ["src/addon/library"]\n}\n'
    assert.equal(settings, run({ "--luarc" }).printed)
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

  -- A document of 4,000,000 bytes, which is one that takes long.
  local function long_document()
    local paths = {}
    for i = 1, 401 do
      paths[i] = ('"/%d":{"get":{}}'):format(i)
    end
    local text = '{"openapi":"3.0.0","paths":{' .. table.concat(paths, ",") .. "}}"
    return text .. (" "):rep(4000000 - #text)
  end

  for version, answer in pairs { ["Lua 5.1"] = 0, ["later Luas"] = true } do
    -- os.execute answers so where the program runs in a terminal.
    local in_terminal = {
      execute = function()
        return answer
      end,
    }

    it("says how far it is in a terminal, by os.execute of " .. version, function()
      local said = "\r200 of 401 operations\r400 of 401 operations\r401 of 401 operations\n"
      assert.equal(said, run_on(long_document(), {}, in_terminal).problem)
    end)

    it("does not say how far it is with a shorter document, under " .. version, function()
      assert.equal("", run_on(long_document():sub(1, -2), {}, in_terminal).problem)
    end)
  end

  it("does not say how far it is without a terminal", function()
    assert.equal("", run_on(long_document()).problem)
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

  -- So many maps, each with the keys of those before it.
  local function merging(count)
    local text = "k0: &k0 { x: 1 }\n"
    for i = 1, count do
      text = text .. ("k%d: &k%d { x%d: 1, <<: *k%d }\n"):format(i, i, i, i - 1)
    end
    return text
  end

  describe("with lyaml", function()
    local function has_lyaml()
      return (pcall(require, "yaml"))
    end

    it("reads YAML", function()
      if has_lyaml() then
        local done, files = run_on(merging(500) .. YAML) -- 125,000 keys
        assert.truthy(done.printed:find "^3 operations, 0 left out\n", done.problem)
        local types = files["books-types-1.lua"]
        local enum = '"no"|"1_000"|"2020-01-01"|16|7|"1"|2|1500|endpoint.Null|false|"a10"|10|105'
        assert.truthy(types:find("@field q " .. enum .. "\n", 1, true), types)
        local class = "class books.PUT_x : books.Options\n---@field q "
        assert.truthy(types:find(class, 1, true), types)
        local defaults = '"https://1.example", headers = { accept = "application/json" }'
        assert.truthy(files["books.lua"]:find(defaults, 1, true), files["books.lua"])
      end
    end)

    for problem, text in pairs {
      ["an alias without an anchor"] = "a: *b\n",
      ["<< must be a map, or a list"] = "a: { <<: 5 }\n",
      ["a key that is not a string"] = "? [a]\n: 1\n",
      ["its << keys would make"] = merging(2000),
    } do
      it("refuses YAML: " .. problem, function()
        if has_lyaml() then
          local said = run_on(text).problem
          assert.truthy(said:find("it is not YAML: " .. problem, 1, true), said)
        end
      end)
    end
  end)

  for what, load_yaml in pairs {
    ["lyaml is missing"] = function()
      error("none", 0)
    end,
    ["yaml is another module"] = function()
      return {}
    end,
  } do
    it("says the cure for a document in YAML where " .. what, function()
      local former = package.loaded.yaml
      package.loaded.yaml, package.preload.yaml = nil, load_yaml
      local done = run_on(YAML)
      package.loaded.yaml, package.preload.yaml = former, nil
      local cure = "it is not JSON. To read YAML, install lyaml (Debian: lua-yaml)"
      assert.truthy(done.problem:find(cure, 1, true), done.problem)
    end)
  end

  local USAGE, HELP = "usage: endpoint-types [OPTION...] FILE", " (--help explains the options)"
  -- Arguments, beside the file books.json, and the problem.
  local REFUSED = {
    { words = {}, problem = USAGE .. HELP },
    { words = { "--force" }, problem = USAGE .. HELP },
    { words = { "--name" }, problem = "--name: expected a value after it" .. HELP },
    { words = { "none/" }, problem = "none/: No such file or directory" },
    { words = { "x", "--output", "" }, problem = "--output: expected a value after it" .. HELP },
    { words = { "-x", "y" }, problem = "-x: no such option" .. HELP },
    { words = { "--force=1", "y" }, problem = "--force=1: no such option" .. HELP },
    { words = { "x--force", "y" }, problem = "y: expected one FILE, got a second" .. HELP },
    { words = { "-" }, problem = "--name is required when FILE is -" },
    {
      words = { "--name", "x", "none\27[m\194\155m" },
      problem = "none?[m?m: No such file or directory",
    },
    {
      words = { "--output", "none", "books.json" },
      problem = "none/books-types-1.lua: No such file or directory",
    },
    {
      words = { "--name", "a-b", "books.json" },
      problem = "--name: expected letters, digits and _, and not the name of another module, "
        .. 'got "a-b"',
    },
    {
      words = { "--only", "GET /book", "books.json" },
      problem = '--only "GET /book": the document has no such operation. The nearest is '
        .. '"GET /books"',
    },
  }
  for _, row in ipairs(REFUSED) do
    it(("refuses the arguments %s: %s"):format(support.shown(row.words), row.problem), function()
      local files = { ["books.json"] = BOOKS }
      assert.same(
        { status = 1, printed = "", problem = "endpoint-types: " .. row.problem .. "\n" },
        run(row.words, files)
      )
      assert.same({ ["books.json"] = BOOKS }, files)
    end)
  end

  for text, words in pairs {
    [BOM .. "{"] = "it is not JSON: ",
    null = "expected an OpenAPI document, got null",
    [('{"openapi":"3.0.0","paths":{"/x":%s'):format(("["):rep(5000))] = "it is not JSON: ",
  } do
    it("says in one line what is wrong with a document: " .. text:sub(1, 10), function()
      local done, files = run_on(text)
      assert.equal(1, done.status)
      assert.truthy(done.problem:find "^endpoint%-types: books.json: [^\n]*\n$", done.problem)
      assert.truthy(done.problem:find(words, 1, true), done.problem)
      assert.equal("books.json", names_of(files))
    end)
  end

  for _, failing in ipairs { "write", "flush" } do
    for what, words in pairs {
      ["its help"] = { "--help" },
      ["its report"] = { "books.json" },
    } do
      it(("fails where %s of %s fails"):format(failing, what), function()
        local output = collect {}
        output[failing] = function()
          return nil, "No space left on device"
        end
        local function stdout()
          return output
        end
        assert.same(
          { status = 1, printed = "", problem = "endpoint-types: No space left on device\n" },
          run(words, { ["books.json"] = BOOKS }, { stdout = stdout })
        )
      end)
    end
  end

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
  local FOREIGN = ": it exists, and endpoint-types did not write it (--force replaces it)"

  -- What happens, the files there before and after, what the system does, the problem.
  local FAILURES = {
    {
      what = "a file cannot be opened",
      files = { ["books.lua"] = OLD, ["books-types-1.lua"] = OLD },
      system = opens("books.lua" .. NEW, "wb", fails("books.lua" .. NEW, "Permission denied")),
      problem = "books.lua: Permission denied",
    },
    {
      what = "a file cannot be written",
      files = { ["books.lua"] = OLD, ["books-types-1.lua"] = OLD },
      system = opens("books.lua" .. NEW, "wb", ON_FULL_DISK),
      problem = "books.lua: No space left on device",
    },
    {
      what = "a directory has the name of a file",
      files = { ["books-types-1.lua"] = OLD },
      system = opens("books.lua", "rb", A_DIRECTORY),
      problem = "books.lua: Is a directory",
    },
    {
      what = "a file cannot be put in its place",
      files = {},
      system = {
        rename = function()
          return nil, "busy"
        end,
      },
      problem = "books-types-1.lua: busy",
    },
    {
      what = "the module is somebody's",
      files = { ["books.lua"] = "-- mine\n-- mine\n" },
      problem = "books.lua" .. FOREIGN,
    },
    {
      what = "the definitions are somebody's",
      files = { ["books-types-1.lua"] = "-- mine\n" },
      problem = "books-types-1.lua" .. FOREIGN,
    },
    {
      what = "a new file is there",
      files = { ["books.lua" .. NEW] = "-- mine" },
      problem = "books.lua" .. NEW .. ": File exists",
    },
  }
  for _, row in ipairs(FAILURES) do
    it("leaves no new file, and the old ones as they were, where " .. row.what, function()
      local done, files = run_on(BOOKS, row.files, row.system)
      assert.same(
        { status = 1, printed = "", problem = "endpoint-types: " .. row.problem .. "\n" },
        done
      )
      local expected = support.copied(row.files)
      expected["books.json"] = BOOKS
      assert.same(expected, files)
    end)
  end

  for _, row in ipairs {
    { program = "/bin/p\\bin\\x", prefix = "/bin/p/" },
    { program = "bin/", prefix = "" },
    { program = "/p/bin/x/x" },
  } do
    local where = row.prefix and "below its own prefix, last" or "nowhere else, without a prefix"

    it(("looks for modules %s: %s"):format(where, row.program), function()
      local path, cpath, version = package.path, package.cpath, _VERSION:match "%d.*"
      run { "--help", [0] = row.program }
      local found = package.path .. " " .. package.cpath
      package.path, package.cpath = path, cpath
      local places = "%s;%sshare/lua/" .. version .. "/?.lua %s;%slib/lua/" .. version .. "/?.so"
      assert.equal(
        row.prefix and places:format(path, row.prefix, cpath, row.prefix) or path .. " " .. cpath,
        found
      )
    end)
  end

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

  -- What the program says while `require` of a module fails: with that message, or since no
  -- searcher finds it.
  local function problem_without(name, message)
    local former, preload = package.loaded[name], package.preload[name]
    local path, cpath = package.path, package.cpath
    package.loaded[name] = nil
    if message then
      package.preload[name] = function()
        error(message, 0)
      end
    else
      package.path, package.cpath = "", ""
    end
    local done = run_on(BOOKS)
    package.loaded[name], package.preload[name] = former, preload
    package.path, package.cpath = path, cpath
    assert.equal(1, done.status)
    return done.problem
  end

  for name, advice in pairs {
    ["cjson"] = "install lua%-cjson, which reads JSON %(luarocks install lua%-cjson; ",
    ["endpoint.types"] = "LUA_PATH and LUA_CPATH say where Lua looks for modules, such as ",
  } do
    it("says what to do where Lua does not find " .. name, function()
      local problem = problem_without(name)
      local message = "^endpoint%-types: the module " .. name .. " is not found: " .. advice
      assert.truthy(problem:find(message), problem)
    end)

    it("says why Lua cannot load " .. name .. ", in the first line of its words", function()
      assert.equal(
        "endpoint-types: the module " .. name .. " cannot be loaded: of another version\n",
        problem_without(name, "of another version\nstack traceback")
      )
    end)
  end
end)
