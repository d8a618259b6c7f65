-- Adds options to copies of the sources by the steps of CONTRIBUTING.md, a string and a table, and
-- sees that each is checked, kept, sent and documented; and that a step that was forgotten is
-- noticed.
local server = require "server"
local support = require "support"

local COPIED = ".busted .ci .github src spec docs examples bench rockspec "
  .. "README.md CHANGELOG.md Makefile .mkdocs.yml"
local DONE = "the option is there"
local CHECK = "LUA_CPATH='./?.so' lua5.4 spec/module/new_option_%s_checks.lua"
local COMPILE = "cc -std=c99 -Wall -Wextra -Werror -fPIC -shared -I%s "
  .. "src/*.c src/core/*.c -o endpoint.so"

-- What CONTRIBUTING.md says of a new option.
local function contributing()
  local text = support.read ".github/CONTRIBUTING.md"
  return text:match "%*%*An option%.%*%*(.-)%*%*A client%.%*%*"
end

local function replaced(text, old, new, file)
  local from, to = text:find(old, 1, true)
  support.holds(from and not text:find(old, to + 1, true), file .. " does not hold once: " .. old)
  return text:sub(1, from - 1) .. new .. text:sub(to + 1)
end

for _, kind in ipairs { "string", "table" } do
  describe(("a %s that the steps of CONTRIBUTING.md add as an option"):format(kind), function()
    local steps, copy = require("module.new_option_" .. kind), os.tmpname()

    -- A copy of the sources with all steps but those in one file.
    local function take_steps(omitted)
      server.shell(("rm -rf %s && mkdir %s && cp -r %s %s"):format(copy, copy, COPIED, copy))
      for _, step in ipairs(steps) do
        if step.file ~= omitted then
          local path = copy .. "/" .. step.file
          support.write(path, replaced(support.read(path), step.old, step.new, step.file))
        end
      end
    end

    -- What a command says in the copy.
    local function said(command)
      return server.shell(("cd %s && (%s) 2>&1"):format(copy, command))
    end

    local function compiled()
      return said(COMPILE:format(server.shell ".ci/lua incdir lua5.4"))
    end

    local function checked()
      return said(CHECK:format(kind))
    end

    -- The titles of the specs of the documents that fail: they compare these with the module.
    local function failing_documents()
      local command = ".ci/busted lua5.4 --cpath='./?.so' --output=TAP spec/docs/readme_spec.lua"
      return said(command .. " | grep '^not ok'")
    end

    it("has a step here for each file that they name, in their order", function()
      local named, known = {}, {}
      for _, step in ipairs(steps) do
        if not known[step.file] then
          named[#named + 1], known[step.file] = step.file, true
        end
      end
      local at = 1
      for _, file in ipairs(named) do
        local _, to = contributing():find("`" .. file .. "`", at, true)
        support.holds(to, "CONTRIBUTING.md does not name in this order: " .. file)
        at = to
      end
    end)

    it("is checked, kept, sent and documented", function()
      take_steps()
      assert.equal("", compiled())
      assert.equal(DONE, checked())
      assert.equal("", failing_documents())
    end)

    it("does not compile if nobody has decided whether its default may leave home", function()
      take_steps "src/call.h"
      assert.truthy(compiled():find("EpOptionsThatAreDecided", 1, true))
    end)

    for i, step in ipairs(steps) do
      local is_first = step.file ~= (steps[i - 1] or {}).file
      if is_first and step.file:find "^src/[^/]*%.c$" then
        it("is not there without the steps in " .. step.file, function()
          take_steps(step.file)
          assert.equal("", compiled())
          assert.are_not.equal(DONE, checked())
        end)
      end
    end

    for _, omitted in ipairs { "src/addon/library/endpoint.lua", "docs/reference.md" } do
      it("is not documented without the step in " .. omitted, function()
        take_steps(omitted)
        assert.equal("", compiled())
        assert.truthy(failing_documents():find "option")
      end)
    end

    it("leaves no file behind", function()
      server.shell("rm -rf " .. copy)
    end)
  end)
end
