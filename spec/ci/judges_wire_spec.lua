-- What runs the specs says what did not run, what hangs, and first what explains the rest.
local server = require "server"
local support = require "support"

describe("the apparatus", function()
  local directory = server.shell "mktemp -d"
  teardown(function()
    server.shell("rm -r " .. directory)
  end)

  local function write(name, text)
    support.write(directory .. "/" .. name, text)
    return directory .. "/" .. name
  end

  it("says that a room did not run where there are no namespaces", function()
    local stub = write("unshare", "#!/bin/sh\necho not permitted\nexit 1\n")
    server.shell("chmod +x " .. stub)
    local run = "PATH=%s:$PATH .ci/run trixie=true bookworm 2>&1; echo status $?"
    assert.equal(
      "trixie: NOT RUN (no namespace of its own: not permitted)\n"
        .. "bookworm: NOT RUN (no namespace of its own: not permitted)\nstatus 3",
      server.shell(run:format(directory))
    )
  end)

  local HANGING = [[
    describe("a block", function()
      it("ends", type)
      it("hangs", function() %s end)
    end)]]

  for what, code in pairs {
    ["in C"] = 'io.popen("exec sleep 30 2>/dev/null"):read "*a"',
    ["in Lua"] = "while true do end",
  } do
    it("ends a spec that hangs, and tells its title: " .. what, function()
      local file = write("hanging_spec.lua", HANGING:format(code))
      local said = server.shell("SPEC_SECONDS=2 .ci/busted lua5.4 " .. file .. " 2>&1")
      assert.truthy(
        said:find("FAILED: a spec hangs, ended after 2 s: a block hangs", 1, true),
        said
      )
    end)
  end

  it("shows one failure of each kind, and first the one that our own line raises", function()
    local log = {}
    for number = 1, 3 do
      log[number] = "Failure -> spec/a_spec.lua @ 7\ntitle %d\nspec/a_spec.lua:8: Expected"
      log[number] = log[number]:format(number)
    end
    local raised = "Error -> spec/a_spec.lua @ %d\ntitle\n./src/endpoint/x.lua:5: attempt to call"
    for number = 11, 50 do
      log[#log + 1] = raised:format(number)
    end
    log[#log + 1] = "stack traceback:\n\tsrc/endpoint/other.lua:1: in function"
    local file = write("log", table.concat(log, "\n") .. "\n")
    assert.equal(
      "Error -> spec/a_spec.lua @ 11\ntitle\n./src/endpoint/x.lua:5: attempt to call\n"
        .. "(and 39 more of this kind)\n\n"
        .. "Failure -> spec/a_spec.lua @ 7\ntitle 1\nspec/a_spec.lua:8: Expected\n"
        .. "(and 2 more of this kind)\n",
      server.shell("awk -f .ci/failures.awk " .. file)
    )
  end)

  it("runs the specs of a part before those of the parts that use it", function()
    local said = server.shell ". .ci/common; plain_specs | cut -d / -f 2 | uniq | paste -s -d ' ' -"
    assert.truthy(said:find "^vectors module text clients request types ", said)
  end)
end)
