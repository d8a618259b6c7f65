-- Runs the shell commands of every document in a copy of the tree. Some programs are
-- replaced: endpoint-types is that of the copy, sudo and make install below it, make only
-- names what a long target would do, nginx only tests its configuration, and what would leave
-- this machine does nothing. programs_wire_spec runs the commands of examples/README.md, and
-- .ci/install embed those of EMBEDDED, which need more compilers; .ci/install trees says what an
-- installation leaves.
local examples = require "docs.examples"
local server = require "server"
local support = require "support"

local EMBEDDED = {
  ["docs/embedding.md"] = true,
  ["docs/games.md"] = true,
  ["docs/neovim.md"] = true,
}

local PROGRAMS = {
  ["endpoint-types"] = [[
copy=${STAGE%/build/stage}
LUA_CPATH="$copy/build/lua5.4/?.so;;" LUA_PATH="$copy/src/?.lua;;" \
  exec lua5.4 "$copy/src/bin/endpoint-types" "$@"]],
  sudo = 'exec "$@"',
  cc = 'exec @cc@ "$@" -O0', -- what they compile is not what they show
  gcc = 'exec @gcc@ "$@" -O0',
  git = "exit 0",
  docker = "exit 0", -- recipes_wire_spec runs the steps
  -- .ci/busted finds this first, which calls it again without this in the way.
  busted = 'PATH=${PATH#*:} exec .ci/busted lua5.4 --list "$@"',
  nginx = 'exec @nginx@ -t "$@"',
  luarocks = [[
case " $* " in
  *" upload "*) test -f "$2" ;;
  *" make "*) exec @luarocks@ --tree "$STAGE/rocks" "$@" --deps-mode=none ;; # lua-cjson is Debian's
  *) exec @luarocks@ --tree "$STAGE/rocks" "$@" ;;
esac]],
  make = [[
for word; do
  case $word in
    test* | check* | lint | format | docs | mutants | bench* | fuzz | coverage) dry=-n ;;
  esac
done
exec @make@ --no-print-directory $dry "$@" DESTDIR="$STAGE"]],
}

local function write_program(path, body)
  support.write(path, "#!/bin/sh\n" .. body:gsub("@(%w+)@", function(name)
    return server.shell("PATH=$PATH:/usr/sbin; command -v " .. name)
  end) .. "\n")
  server.shell("chmod +x " .. path)
end

describe("the shell commands", function()
  local copy -- of the tree, with the objects that are compiled already

  setup(function()
    assert(os.execute ".ci/need lua5.4 luarocks >/dev/null")
    copy = server.shell "mktemp -d"
    server.shell("tar -cf - --exclude=./.git --exclude=./build . | tar -xf - -C " .. copy)
    server.shell(
      "mkdir -p " .. copy .. "/build/bin && cp -a build/lua5.4 build/luajit " .. copy .. "/build"
    )
    for name, body in pairs(PROGRAMS) do
      write_program(copy .. "/build/bin/" .. name, body)
    end
    -- To run the mutants takes long. This asks whether they exist.
    write_program(copy .. "/.ci/mutants", 'exec lua5.4 spec/mutants/mutants.lua list 1 1 "$@"')
  end)

  teardown(function()
    server.shell("rm -rf " .. copy)
  end)

  for _, path in ipairs(examples.documents()) do
    if path ~= "examples/README.md" and not EMBEDDED[path] then
      for _, block in ipairs(examples.blocks_in(support.read(path), "sh")) do
        it(("of %s work: line %d, %s"):format(path, block.line, block.section), function()
          -- The 20,000 random calls of one of them take long.
          support.write(copy .. "/build/commands.sh", (block.code:gsub("20000", "20")))
          local text = server.shell(
            (
              "cd %s && env -u MAKEFLAGS -u MAKELEVEL "
              .. "LUA_PATH='build/stage/rocks/share/lua/5.4/?.lua;;' "
              .. "LUA_CPATH='build/stage/rocks/lib/lua/5.4/?.so;;' "
              .. "STAGE=$PWD/build/stage PATH=$PWD/build/bin:$PATH sh -e build/commands.sh 2>&1; "
              .. "echo status $?"
            ):format(copy)
          )
          assert.equal("status 0", text:match "status %d+$", text)
        end)
      end
    end
  end
end)
