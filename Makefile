# endpoint: `make help` lists the targets and the settings.

LUA_VERSION = 5.4
LUA = lua$(LUA_VERSION)

PREFIX = /usr/local
DESTDIR =
LUA_CMODULE_DIR = $(PREFIX)/lib/lua/$(LUA_VERSION)
LUA_MODULE_DIR = $(PREFIX)/share/lua/$(LUA_VERSION)
LIBRARY_DIR = $(PREFIX)/share/endpoint/library

LUA_INCDIR = $(shell .ci/lua-incdir $(LUA))

CC = cc
# Calls of Lua's API go to the interpreter without a detour: 3 to 4 % of a call.
CFLAGS = -O2 -fno-plt
WARNINGS = -Wall -Wextra -Wpedantic -Wshadow -Wconversion
BASE_URL =
DEFINES = $(if $(BASE_URL),-DENDPOINT_BASE_URL='"$(BASE_URL)"')
COMPILE = -std=c99 -fPIC $(WARNINGS) $(DEFINES) -I$(LUA_INCDIR)
ifeq ($(shell uname -s),Darwin)
LINK = -bundle -undefined dynamic_lookup
else
LINK = -shared
endif

BUILD = build/$(notdir $(LUA))
SOURCES = $(wildcard src/*.c)
OBJECTS = $(SOURCES:src/%.c=$(BUILD)/%.o)
MODULE = $(BUILD)/endpoint.so

# The interpreters that the specs run under; LUA=... on the command line names one.
ALL_LUAS = lua5.1 lua5.2 lua5.3 lua5.4 luajit
ifeq ($(origin LUA),command line)
LUAS = $(LUA)
else
LUAS = $(ALL_LUAS)
endif

# From the command line or the environment, to the byte: a $ in them is no
# variable of make's.
override ROUTE := $(value ROUTE)
override PARAMS := $(value PARAMS)
export ROUTE PARAMS

.PHONY: all demo test test-nginx test-hosts check check-linear check-memory check-collector coverage fuzz seeds bench bench-instructions check-portability lint docs install clean help FORCE

all: $(MODULE)

$(MODULE): $(OBJECTS)
	$(CC) $(CFLAGS) $(LINK) $(OBJECTS) $(LDFLAGS) -o $@

$(BUILD)/%.o: src/%.c $(wildcard src/*.h) $(BUILD)/flags
	$(CC) $(COMPILE) $(CFLAGS) -c $< -o $@

# Changes when a setting does, so that the objects are made anew.
$(BUILD)/flags: FORCE
	@mkdir -p $(BUILD)
	@echo '$(CC) $(subst ','\'',$(COMPILE)) $(CFLAGS)' | cmp -s - $@ || \
	  echo '$(CC) $(subst ','\'',$(COMPILE)) $(CFLAGS)' > $@

# Installing what is missing comes first, so that what follows finds it.
demo:
	@.ci/need $(LUA) compiler headers lua cjson
	@$(MAKE) --no-print-directory -s all
	@LUA_CPATH='$(BUILD)/?.so;;' $(LUA) spec/tools/demo.lua

test:
	@.ci/test $(LUAS)
ifneq ($(origin LUA),command line)
	@$(MAKE) --no-print-directory test-nginx
endif

# The module inside a real nginx, whose Lua is LuaJIT, and the HTTP clients of
# every Lua against it; the specs drive them from outside.
test-nginx:
	@.ci/need luajit lua nginx
	@.ci/need $(LUA) lua cjson busted
	@for lua in $(ALL_LUAS); do \
	  .ci/need $$lua compiler headers lua cjson clients && \
	  $(MAKE) --no-print-directory -s all LUA=$$lua || exit 1; \
	done
	@for spec in spec/nginx/*_spec.lua; do \
	  echo $$spec; \
	  LUA_CPATH='build/$(LUA)/?.so;;' PATH="$$PATH:/usr/sbin" \
	    .ci/busted $(LUA) --output=plainTerminal $$spec || exit 1; \
	done

# The recipes of src/endpoint/README.md inside the hosts that Debian packages.
test-hosts:
	@.ci/need luajit compiler headers lua cjson nginx
	@.ci/need $(LUA) compiler headers lua cjson busted
	@for lua in luajit $(LUA); do $(MAKE) --no-print-directory -s all LUA=$$lua || exit 1; done
	@.ci/hosts $(LUA) tarantool haproxy neovim wrk nmap rspamd

# One source for other compilers and machines: Windows, C++, 32-bit words,
# big-endian; and installing for each Lua.
check-portability:
	@.ci/need $(LUA) compiler headers mingw c++
	@mkdir -p build/windows
	for source in $(SOURCES); do \
	  x86_64-w64-mingw32-gcc -std=c99 -O2 $(WARNINGS) -Werror -I$(LUA_INCDIR) \
	    -c $$source -o build/windows/$$(basename $$source .c).o || exit 1; \
	done
	g++ -x c++ -fsyntax-only -I$(LUA_INCDIR) $(SOURCES)
	@.ci/foreign i386
	@.ci/foreign s390x
	@.ci/install-check
	@.ci/rock-test 5.1 5.4

# What a host must stand: allocations that fail, threads, many calls, a collector
# that never rests, random input.
TIME = 60
SOAK = 2000000
check: check-linear coverage check-memory check-collector fuzz

check-memory:
	@for lua in $(LUAS); do .ci/need $$lua compiler headers lua || exit 1; done
	@SOAK=$(SOAK) .ci/check-memory

# Twice as many must not cost more than twice as much.
check-linear:
	@.ci/check-linear lua5.4

# What of src/ the specs and the harness of failing memory run.
coverage:
	@.ci/coverage

# The specs where a wrong use of memory or of the API shows.
check-collector:
	@.ci/check-collector

fuzz:
	@.ci/need lua5.4 compiler headers fuzz
	@.ci/fuzz $(TIME)

# Whether the tests find the bugs of spec/fuzz/seeds.
seeds:
	@.ci/need lua5.4 compiler headers lua cjson busted fuzz
	@.ci/seeds

# Against what the Lua API costs at least, hand-written Lua and @octokit/endpoint on node.
bench:
	@.ci/need lua5.4 compiler headers lua
	@.ci/need luajit headers lua
	@.ci/bench lua5.4 luajit

# Exact counts, to be compared between commits.
bench-instructions:
	@.ci/need lua5.4 compiler headers lua valgrind
	@$(MAKE) --no-print-directory -s all LUA=lua5.4
	@bench/instructions.sh

lint:
	@.ci/need $(LUA) compiler headers lint
	@$(MAKE) --no-print-directory check-format check-c check-lua

.PHONY: check-format check-c check-lua
check-format:
	clang-format --dry-run --Werror src/*.c src/*.h spec/c/*.c spec/fuzz/*.c bench/*.c

check-c:
	gcc $(COMPILE) -O2 -Werror -fsyntax-only $(SOURCES)
	clang $(COMPILE) -O2 -Werror -fsyntax-only $(SOURCES)
	cppcheck --quiet --std=c99 --error-exitcode=1 --suppress=ctuuninitvar \
	  --enable=warning,performance,portability src

check-lua:
	luacheck --quiet src/endpoint src/library spec bench rockspec/*.rockspec

# The reference, from the doc comments of the sources.
docs:
	@.ci/docs

install: all
	install -d '$(DESTDIR)$(LUA_CMODULE_DIR)'
	install -m 755 $(MODULE) '$(DESTDIR)$(LUA_CMODULE_DIR)/endpoint.so'
	install -d '$(DESTDIR)$(LUA_MODULE_DIR)/endpoint/clients' '$(DESTDIR)$(LIBRARY_DIR)/endpoint'
	install -m 644 src/endpoint/*.lua '$(DESTDIR)$(LUA_MODULE_DIR)/endpoint'
	install -m 644 src/endpoint/clients/*.lua '$(DESTDIR)$(LUA_MODULE_DIR)/endpoint/clients'
	install -m 644 src/library/endpoint.lua '$(DESTDIR)$(LIBRARY_DIR)/endpoint.lua'
	install -m 644 src/library/endpoint/clients.lua '$(DESTDIR)$(LIBRARY_DIR)/endpoint/clients.lua'

clean:
	rm -rf build

help:
	@echo 'make            builds build/<lua>/endpoint.so'
	@echo 'make demo       installs what is missing, builds, shows routes as request options;'
	@echo "                ROUTE='GET /orgs/:org/repos' PARAMS='{\"org\":\"octokit\"}' for one of yours"
	@echo 'make test       installs what is missing, builds, runs the specs under every Lua and in nginx;'
	@echo '                LUA=lua5.4 for one interpreter alone; make test-nginx for nginx alone'
	@echo 'make test-hosts runs the recipes for other hosts (Tarantool, HAProxy, Neovim, wrk, Nmap, rspamd) inside them'
	@echo 'make check      linear time, coverage, memory that runs out, threads, soak (SOAK=calls), a collector'
	@echo '                that never rests, sanitizers, valgrind, Luas with assertions, fuzzing (TIME=seconds)'
	@echo 'make seeds      do the tests find seeded bugs?'
	@echo 'make bench      times against peers; make bench-instructions: exact counts'
	@echo 'make check-portability   other compilers, machines and installations'
	@echo 'make lint       compiler warnings, cppcheck, luacheck and clang-format as errors'
	@echo 'make docs       a reference of all functions in build/docs'
	@echo 'make install    into PREFIX, or LUA_CMODULE_DIR, LUA_MODULE_DIR and LIBRARY_DIR, below DESTDIR'
	@echo 'make clean      removes build/'
	@echo
	@echo 'LUA_VERSION=5.4 LUA=lua5.4 LUA_INCDIR=<directory of lua.h> CC=cc CFLAGS="-O2 -fno-plt"'
	@echo 'BASE_URL=https://...    the built-in base address'
