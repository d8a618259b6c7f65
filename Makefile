# endpoint: `make help` prints the lines that begin with "##", in this order.

# Other makes print this, and then stop at the first ifeq.
GNU != test -n '$(.FEATURES)' || echo 'This needs GNU make, which may be installed as gmake.' >&2

# Either one gives the other: LUA=luajit has version 5.1, and LUA_VERSION=5.1 means lua5.1.
ifeq ($(origin LUA_VERSION),command line)
LUA = lua$(LUA_VERSION)
else
LUA = lua5.4
LUA_VERSION := $(shell .ci/lua version $(LUA))
endif

PREFIX = /usr/local
DESTDIR =
LUA_CMODULE_DIR = $(PREFIX)/lib/lua/$(LUA_VERSION)
LUA_MODULE_DIR = $(PREFIX)/share/lua/$(LUA_VERSION)
ADDON_DIR = $(PREFIX)/share/endpoint/addon
BIN_DIR = $(PREFIX)/bin
MAN_DIR = $(PREFIX)/share/man/man1
DOC_DIR = $(PREFIX)/share/doc/endpoint
INCLUDE_DIR = $(PREFIX)/include
LIB_DIR = $(PREFIX)/lib

LUA_INCDIR := $(shell .ci/lua incdir $(LUA))

# These four may come from the environment, as a distribution sets them for all of its packages.
# -fno-plt saves 3 to 4 % of the time: calls of Lua's API go through no jump table.
CFLAGS ?= -O2 -fno-plt
CPPFLAGS ?=
LDFLAGS ?=
WARNINGS = -Wall -Wextra -Wpedantic -Wshadow -Wconversion
BASE_URL =
DEFINES = $(if $(BASE_URL),-DENDPOINT_BASE_URL='"$(BASE_URL)"')
# Debug information names no folder of this machine: equal sources give equal files in any folder.
HAS_PREFIX_MAP := $(shell $(CC) -ffile-prefix-map=a=b -E -x c /dev/null >/dev/null 2>&1 && echo yes)
PREFIX_MAP := $(if $(HAS_PREFIX_MAP),-ffile-prefix-map='$(subst ','\'',$(CURDIR))'=.)
COMPILE = -std=c99 -fPIC $(WARNINGS) $(DEFINES) -I$(LUA_INCDIR) $(CPPFLAGS)
ifeq ($(shell uname -s),Darwin)
LINK = -bundle -undefined dynamic_lookup
else
LINK = -shared
endif

BUILD = build/$(notdir $(LUA))
SOURCES = $(wildcard src/*.c src/core/*.c)
OBJECTS = $(SOURCES:src/%.c=$(BUILD)/%.o)
MODULE = $(BUILD)/endpoint.so

ALL_LUAS = lua5.1 lua5.2 lua5.3 lua5.4 luajit

# What the user wrote. In it make does not expand $.
override PARAMS := $(or $(value PARAMS),$(if $(value ROUTE),{},{"org": "octokit"}))
override ROUTE := $(or $(value ROUTE),GET /orgs/:org/repos)
export ROUTE PARAMS

# As many jobs at a time as there are processors, unless -j says how many.
JOBS = $(if $(filter -j%,$(MAKEFLAGS)),,-j$(shell getconf _NPROCESSORS_ONLN))
QUIETLY = --no-print-directory -s

.PHONY: all demo test test-wire with-wire test-interpreters \
  check check-linear check-memory check-collector coverage fuzz check-types mutants \
  bench bench-instructions check-fresh check-portability lint format docs \
  dist version rockspecs install install-endpoint install-endpoint-types \
  uninstall uninstall-shared clean help FORCE

## Build:
##   make                     builds build/<lua>/endpoint.so
all: $(MODULE)

# A new file takes the place of the old one, so that processes with the old module go on.
# Linked with -ffast-math, the module would round the smallest numbers of its whole process to 0.
$(MODULE): $(OBJECTS)
	$(CC) $(filter-out -ffast-math -Ofast,$(CFLAGS)) $(LINK) $(OBJECTS) $(LDFLAGS) -o $@.new
	@mv -f $@.new $@

$(BUILD)/%.o: src/%.c $(wildcard src/*.h src/core/*.h) $(BUILD)/flags
	@mkdir -p $(@D)
	$(CC) $(COMPILE) $(PREFIX_MAP) $(CFLAGS) -c $< -o $@

# This file changes when a setting changes. Then all objects are built again.
$(BUILD)/flags: FORCE
	@test -f '$(LUA_INCDIR)/lauxlib.h' || \
	  echo '#include <lauxlib.h>' | $(CC) $(COMPILE) $(CFLAGS) -E - >/dev/null 2>&1 || { \
	    INSTALL=no .ci/need $(LUA) compiler headers; \
	    echo 'lauxlib.h of $(LUA) is not found: say LUA_INCDIR=<its directory>,' \
	      'or let "make demo" install it' >&2; \
	    exit 1; \
	  }
	@mkdir -p $(BUILD)
	@echo '$(CC) $(subst ','\'',$(COMPILE)) $(CFLAGS)' | cmp -s - $@ || \
	  echo '$(CC) $(subst ','\'',$(COMPILE)) $(CFLAGS)' > $@

module-%:
	@$(MAKE) $(QUIETLY) all LUA=$*

##   make demo                shows how a route becomes a request
##                            another one: ROUTE='GET /orgs/:org/repos' PARAMS='{"org":"x"}'
# A second make builds: this one has looked for Lua's headers before they were installed.
demo:
	@.ci/need $(LUA) compiler headers lua cjson
	@$(MAKE) $(QUIETLY) all
	@LUA_CPATH='$(BUILD)/?.so;;' LUA_PATH='src/?.lua;;' $(LUA) examples/tool.lua "$$ROUTE" "$$PARAMS"

##
## Before a commit:
##   make test                runs all specs: under every Lua, and with nginx and other programs
##                            under one Lua: LUA=lua5.4
##                            one file: .ci/busted lua5.4 spec/module/values_spec.lua
ifeq ($(origin LUA),command line)
test:
	@.ci/need $(LUA) compiler headers lua cjson busted locale
	@$(MAKE) $(QUIETLY) $(JOBS) all
	@.ci/test $(LUA)
else
test: with-wire
	@.ci/test $(ALL_LUAS) wire
endif

##   make test-wire           runs only the specs that start nginx and other programs
test-wire: with-wire
	@.ci/test wire

with-wire:
	@.ci/need '$(ALL_LUAS)' compiler headers lua cjson busted locale patterns \
	  clients nginx luarocks parsers
	@$(MAKE) $(QUIETLY) $(JOBS) $(ALL_LUAS:%=module-%)

##   make test-interpreters   runs the recipes of docs/*.md inside Tarantool, HAProxy, wrk
##                            and others
test-interpreters:
	@.ci/need 'luajit lua5.4' compiler headers lua cjson busted nginx
	@$(MAKE) $(QUIETLY) $(JOBS) module-luajit module-lua5.4
	@.ci/test inside tarantool haproxy neovim wrk nmap rspamd

##
## Before a release:
##   make check-fresh         runs README's two commands and make test in new Debians,
##                            and in one of them all of .ci/run
check-fresh:
	@.ci/run bookworm trixie testing sid bookworm="TURN=all .ci/run"

##   make dist                writes build/dist/: one C file, one Lua file, DLLs, the sources,
##                            checksums
dist:
	@.ci/dist

##
## After a change of C:
##   make check-portability   tries other compilers, other machines, other ways to install and link
check-portability:
	@worst=0; \
	  .ci/platform compilers musl float c++ windows windows=lua5.1 i386=lua5.1 arm s390x \
	    arm64=luajit || worst=1; \
	  .ci/install embed trees package rock_test || worst=1; \
	  exit $$worst

##   make check               runs these five; with -k it goes on after one that failed
##   make check-memory        lets allocations fail, finds static data, makes SOAK=2000000 calls
##   make check-linear        twice as many items must not cost more than twice as much
##   make coverage            finds lines and branches that no spec reaches
##   make check-collector     the specs with a collector that never rests, under sanitizers
##   make fuzz                runs each fuzzer for TIME=60 seconds
check: check-linear coverage check-memory check-collector fuzz

##
## After a change of endpoint.types:
##   make check-types         reads COUNT=100 real documents, and hostile ones; starts the editor
# What is set beside the target, such as SOAK, make hands on to the script.
check-memory:
	@.ci/check oom symbols soak

check-linear check-types coverage fuzz:
	@.ci/check $(@:check-%=%)

check-collector:
	@worst=0; \
	  .ci/check collector || worst=1; \
	  .ci/platform msan || worst=1; \
	  exit $$worst

##
## After a change of specs:
##   make mutants             do the specs find bugs, those written by hand and COUNT=300 others?
mutants:
	@.ci/need 'lua5.4 luajit' compiler headers lua cjson dkjson busted patterns fuzz clients nginx
	@.ci/mutants

##
## Speed:
##   make bench               measures the figures of docs/benchmarks.md
##   make bench-instructions  counts instructions exactly, to compare two commits
bench bench-instructions:
	@bench/bench.sh $@

##
## Style:
##   make lint                finds what compilers, cppcheck, luacheck, ShellCheck, clang-format
##                            and StyLua complain about
lint:
	@.ci/need $(LUA) compiler headers lint
	@$(MAKE) --no-print-directory --keep-going $(JOBS) $(CHECKERS)

CHECKERS = check-format check-lua-format check-gcc check-clang check-core check-names \
  check-cppcheck check-lua check-shell check-license
C_FILES = src/*.[ch] src/core/*.[ch] spec/memory/*.c spec/lib/*.c spec/oracle/*.c \
  examples/*/*.c bench/*.c

.PHONY: $(CHECKERS)
check-format:
	clang-format --dry-run --Werror $(C_FILES)

# All Lua files, without those that endpoint-types has written.
LUA_FILES = $$(find src spec examples bench rockspec \
    -name '*.lua' ! -name 'books*.lua' -o -name '*.rockspec') \
  src/bin/endpoint-types
check-lua-format:
	@reason=$$(.ci/fetch formatter) || { \
	  echo "NOT CHECKED: the layout of Lua files, by StyLua: $$reason" >&2; \
	  exit 1; \
	}
	node .ci/stylua.mjs check $(LUA_FILES)

check-gcc check-clang: check-%:
	$* $(COMPILE) -O2 -Werror -fsyntax-only $(SOURCES)

# No -I: src/core includes nothing of Lua and nothing of src.
check-core:
	$(CC) -std=c99 $(WARNINGS) -Werror -fsyntax-only src/core/*.c

# The release is one C file of all.
check-names:
	! sed -n 's/^static .*[ *]\([a-z_0-9]*\)(.*/\1/p' src/*.c src/core/*.c | sort | uniq -d | grep .

# From version 2.11 on cppcheck says, as an error, that it has looked at the most branches only.
check-cppcheck:
	cppcheck --quiet --std=c99 --error-exitcode=1 --suppress=ctuuninitvar \
	  --suppress=normalCheckLevelMaxBranches \
	  --enable=warning,performance,portability src

check-lua:
	luacheck --quiet src/endpoint src/bin/endpoint-types src/addon spec examples bench \
	  rockspec/*.rockspec

check-shell:
	shellcheck -x $$(grep -rlE '^#!/bin/sh' .ci bench spec)

# Files that are copied one by one say their license.
check-license:
	! grep -rL --include='*.[ch]' --include='*.lua' --include='*.conf' \
	  --include=CMakeLists.txt --include=Dockerfile --include=endpoint-types \
	  'SPDX-License-Identifier: MIT' src examples | grep .

##   make format              lays out C and Lua as lint wants them
format:
	@.ci/need $(LUA) lint
	clang-format -i $(C_FILES)
	.ci/fetch formatter
	node .ci/stylua.mjs format $(LUA_FILES)

##
## Documents and versions:
##   make docs                writes the documents and the reference as pages: build/docs/index.html
docs:
	@.ci/need lua5.4 compiler headers lua cjson pages
	@$(MAKE) $(QUIETLY) $(JOBS) module-lua5.4
	@export LUA_CPATH='build/lua5.4/?.so;;' LUA_PATH='spec/lib/?.lua;spec/?.lua;src/?.lua;;'; \
	  mkdir -p build/api && lua5.4 -e 'require "docs.reference".write "build/api"'
	@SITE_NAME='endpoint $(VERSION)' mkdocs build --quiet --config-file .mkdocs.yml
	@node spec/docs/search.mjs build/docs
	@echo 'They begin at build/docs/index.html.'

##   make version             writes the version of src/endpoint.h to all files that repeat it
version:
	for file in $$(grep -rlE $(VERSIONED) src docs spec examples); do \
	  sed -E -e 's,(^local VERSION = "|^lua-endpoint \()[0-9.]+,\1$(VERSION),' \
	    -e 's,(service-endpoint\.js/)[0-9]+\.[0-9]+\.[0-9]+,\1$(VERSION),' \
	    $$file >$$file.new && cat $$file.new >$$file && rm $$file.new; \
	done
VERSIONED = '^local VERSION = "|^lua-endpoint \(|service-endpoint\.js/[0-9]'

##   make rockspecs           writes both rockspecs, after a file below src came or went
##                            for a release: RELEASE=1.0.0
rockspecs:
	@.ci/rockspec $(RELEASE)

##
## Install:
##   make install             installs below PREFIX=/usr/local, or below DESTDIR and PREFIX
##                            each directory: LUA_CMODULE_DIR, LUA_MODULE_DIR, ADDON_DIR, BIN_DIR,
##                            MAN_DIR, DOC_DIR, INCLUDE_DIR, LIB_DIR. It does these two:
##   make install-endpoint    what a program needs: all modules but those of the generator,
##                            endpoint.h, a static library, the editor's addon,
##                            the pages, too, if make docs has written them
##   make install-endpoint-types
##                            the generator: its modules, endpoint-types, its manual page
install: install-endpoint
	@$(MAKE) --no-print-directory install-endpoint-types

install-endpoint: all
	@$(CHECK_LUA)
	rm -f $(BUILD)/$(LIBRARY).a
	$(AR) rcs $(BUILD)/$(LIBRARY).a $(OBJECTS)
	printf '%s\n' $(PKG_CONFIG) >$(BUILD)/$(LIBRARY).pc
	install -d '$(DESTDIR)$(LUA_CMODULE_DIR)' $(call module_dirs,$(LIBRARY_FILES)) \
	  '$(DESTDIR)$(ADDON_DIR)/library/endpoint' '$(DESTDIR)$(INCLUDE_DIR)' \
	  '$(DESTDIR)$(LIB_DIR)/pkgconfig' '$(DESTDIR)$(DOC_DIR)'
	install -m 755 $(MODULE) '$(DESTDIR)$(LUA_CMODULE_DIR)/endpoint.so'
	$(call install_modules,$(LIBRARY_FILES))
	for file in $(ADDON); do \
	  install -m 644 src/addon/$$file '$(DESTDIR)$(ADDON_DIR)'/$$file || exit 1; \
	done
	install -m 644 src/endpoint.h '$(DESTDIR)$(INCLUDE_DIR)'
	install -m 644 $(BUILD)/$(LIBRARY).a '$(DESTDIR)$(LIB_DIR)/lib$(LIBRARY).a'
	install -m 644 $(BUILD)/$(LIBRARY).pc '$(DESTDIR)$(LIB_DIR)/pkgconfig'
	install -m 644 LICENSE '$(DESTDIR)$(DOC_DIR)'
	if test -d build/docs; then \
	  cd build/docs && \
	  find . -type d -exec install -d '$(DESTDIR)$(DOC_DIR)/html/{}' \; && \
	  find . -type f -exec install -m 644 {} '$(DESTDIR)$(DOC_DIR)/html/{}' \;; \
	fi

# Plain Lua: nothing is compiled.
install-endpoint-types:
	@mkdir -p $(BUILD)
	sed '1s,lua$$,$(notdir $(LUA)),' src/bin/endpoint-types >$(BUILD)/endpoint-types
	install -d $(call module_dirs,$(TYPES_FILES)) '$(DESTDIR)$(BIN_DIR)' '$(DESTDIR)$(MAN_DIR)'
	$(call install_modules,$(TYPES_FILES))
	install -m 755 $(BUILD)/endpoint-types '$(DESTDIR)$(BIN_DIR)'
	install -m 644 src/bin/endpoint-types.1 '$(DESTDIR)$(MAN_DIR)'

# Another Lua would crash on the module, or not find it.
CHECK_LUA = printf '\#include <lua.h>\n\#if LUA_VERSION_NUM != %s\n\#error\n\#endif\n' \
    $(subst .,0,$(LUA_VERSION)) | \
  $(CC) $(COMPILE) -E - >/dev/null 2>&1 || { \
    echo 'LUA=$(LUA), LUA_VERSION=$(LUA_VERSION) and LUA_INCDIR=$(LUA_INCDIR)' \
      'do not fit one another:' \
      'say LUA alone, and its LUA_VERSION if it does not run here' >&2; \
    exit 1; \
  }

# The directories of these modules, quoted for the shell
module_dirs = $(patsubst %,'$(DESTDIR)$(LUA_MODULE_DIR)/%',$(sort $(dir $(1))))

install_modules = for file in $(1); do \
  install -m 644 src/$$file '$(DESTDIR)$(LUA_MODULE_DIR)'/$$file || exit 1; \
done

# What is below src, without a list: the folders with the deepest first, as uninstall removes them.
LUA_DIRS = $(shell .ci/files folders)
LIBRARY_FILES = $(patsubst src/%,%,$(shell .ci/files library))
TYPES_FILES = $(patsubst src/%,%,$(shell .ci/files types))
ADDON = $(patsubst src/addon/%,%,$(wildcard \
  src/addon/*.json src/addon/library/*.lua src/addon/library/*/*.lua))

# As Debian calls the packages of a Lua's modules: liblua5.4-lpeg.a, lua5.4-lpeg.pc.
LIBRARY = lua$(LUA_VERSION)-endpoint
VERSION = $(shell sed -n 's/^.define ENDPOINT_VERSION "\(.*\)"/\1/p' src/endpoint.h)
PKG_CONFIG = \
  'prefix=$(PREFIX)' \
  'includedir=$(INCLUDE_DIR)' \
  'libdir=$(LIB_DIR)' \
  'moduledir=$(LUA_MODULE_DIR)' \
  'lua=$(notdir $(LUA))' \
  'Name: endpoint' \
  'Description: turns REST routes and parameters into HTTP requests, for Lua $(LUA_VERSION)' \
  'Version: $(VERSION)' \
  'Cflags: -I$${includedir}' \
  'Libs: -L$${libdir} -l$(LIBRARY)'

##   make uninstall           removes what make install installed with the same settings
##                            what several Luas share goes with the last of them
uninstall:
	rm -f '$(DESTDIR)$(LUA_CMODULE_DIR)/endpoint.so' '$(DESTDIR)$(LIB_DIR)/lib$(LIBRARY).a' \
	  '$(DESTDIR)$(LIB_DIR)/pkgconfig/$(LIBRARY).pc'
	for file in $(LIBRARY_FILES) $(TYPES_FILES); do \
	  rm -f '$(DESTDIR)$(LUA_MODULE_DIR)'/$$file; \
	done
	@others= runner=; \
	  for file in '$(DESTDIR)$(LIB_DIR)'/pkgconfig/lua*-endpoint.pc; do \
	    test -f "$$file" || continue; \
	    others=yes modules=$$(sed -n 's/^moduledir=//p' "$$file"); \
	    test -f '$(DESTDIR)'"$$modules/endpoint/types.lua" || continue; \
	    runner=$$(sed -n 's/^lua=//p' "$$file"); \
	    break; \
	  done; \
	  if test -n "$$runner"; then \
	    mkdir -p $(BUILD) && \
	    sed "1s,[^ ]*$$,$$runner," src/bin/endpoint-types >$(BUILD)/endpoint-types && \
	    install -m 755 $(BUILD)/endpoint-types '$(DESTDIR)$(BIN_DIR)'; \
	  else \
	    rm -f '$(DESTDIR)$(BIN_DIR)/endpoint-types' '$(DESTDIR)$(MAN_DIR)/endpoint-types.1'; \
	  fi; \
	  test -n "$$others" || $(MAKE) $(QUIETLY) uninstall-shared
	for dir in $(LUA_DIRS:%='$(LUA_MODULE_DIR)/%') \
	  '$(ADDON_DIR)/library/endpoint' '$(ADDON_DIR)/library' '$(ADDON_DIR)' \
	  '$(PREFIX)/share/endpoint' '$(DOC_DIR)'; do \
	  rmdir "$(DESTDIR)$$dir" 2>/dev/null || true; \
	done

uninstall-shared:
	rm -f '$(DESTDIR)$(INCLUDE_DIR)/endpoint.h' '$(DESTDIR)$(DOC_DIR)/LICENSE'
	rm -rf '$(DESTDIR)$(DOC_DIR)/html'
	for file in $(ADDON); do rm -f '$(DESTDIR)$(ADDON_DIR)'/$$file; done

##   make clean               removes build/, and what luarocks make leaves beside the sources
clean:
	rm -rf build src/*.o src/core/*.o endpoint.so

##
## Settings:
##   LUA=lua5.4 or LUA_VERSION=5.4   the Lua that will load the module
##   LUA_INCDIR=<directory>          where lua.h is
##   CC=cc, CFLAGS="-O2 -fno-plt"    how C is compiled
##   BASE_URL=https://...            the built-in base address
##
## Most targets install with apt-get what they need. With INSTALL=no they name it, and stop.
help:
	@sed -n 's/^## \{0,1\}//p' Makefile
