// A program in C++17 whose Lua is C++ too: errors are exceptions, so destructors run. One program
// runs in state after state, each with less memory than the one before.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "endpoint.h"
#include "lauxlib.h"
#include "lua.h"
#include "lualib.h"

namespace {

constexpr long plenty = 1000000, step = 16;

int alive; // objects that Lua's errors leave behind

struct Object {
  std::string text = std::string(100, 'x'); // on the heap
  Object() {
    ++alive;
  }
  Object(const Object &) = delete;
  ~Object() {
    --alive;
  }
};

struct Memory {
  long left, least; // bytes; the least that were left
};

void *allocate(void *context, void *block, size_t old_size, size_t size) {
  Memory &memory = *static_cast<Memory *>(context);
  const long more = static_cast<long>(size) - (block ? static_cast<long>(old_size) : 0);
  void *result = nullptr;
  if (size == 0)
    std::free(block);
  else if (more > memory.left || !(result = std::realloc(block, size)))
    return nullptr;
  memory.left -= more;
  memory.least = std::min(memory.least, memory.left);
  return result;
}

// Calls its argument, which may raise.
int call(lua_State *L) {
  Object object;
  lua_call(L, 0, 1);
  return 1;
}

const char script[] =
    "local endpoint, call = ...\n"
    "local api = endpoint.defaults { baseUrl = 'https://h', list = { 1, 2 } }\n"
    "local url = call(function() return api('GET /{x}{?y*}', { x = 0.1, y = { 'a', 'b' } }).url "
    "end)\n"
    "assert(url == 'https://h/0.1?y=a&y=b&list=1%2C2', url)\n"
    "local ok, message = pcall(call, function() return api 'GET /{' end)\n"
    "if ok or not message:find('is not closed', 1, true) then error(message, 0) end\n";

int run(lua_State *L) {
  luaL_openlibs(L);
  if (luaL_loadstring(L, script) != LUA_OK)
    return lua_error(L);
  luaL_requiref(L, "endpoint", luaopen_endpoint, 0);
  lua_pushcfunction(L, call);
  lua_call(L, 2, 0);
  return 0;
}

// Did the run end well, or for want of memory? For a larger stack Lua calls that an overflow.
bool is_sound(lua_State *L, int status) {
  return status == LUA_OK || status == LUA_ERRMEM ||
         (status == LUA_ERRRUN && std::strstr(lua_tostring(L, -1), "stack overflow") != nullptr);
}

enum Result { ENOUGH, TOO_LITTLE, BAD };

// Runs in one state, whose memory all comes back.
Result run_in(Memory &memory) {
  const long bytes = memory.left;
  lua_State *L = lua_newstate(allocate, &memory);
  if (!L)
    return TOO_LITTLE;
  lua_pushcfunction(L, run);
  const int status = lua_pcall(L, 0, 0, 0);
  const bool sound = is_sound(L, status);
  if (!sound)
    std::printf("%ld bytes: status %d: %s\n", bytes, status, lua_tostring(L, -1));
  lua_close(L);
  if (!sound || memory.left != bytes || alive != 0)
    return BAD;
  return status == LUA_OK ? ENOUGH : TOO_LITTLE;
}

} // namespace

int main() {
  int counts[] = {0, 0, 0};
  Memory memory = {plenty, plenty};
  counts[run_in(memory)]++;
  for (long bytes = plenty - memory.least; bytes >= 0 && counts[BAD] < 5; bytes -= step) {
    memory = {bytes, bytes};
    counts[run_in(memory)]++;
  }
  std::printf("a C++ program: %d states with enough memory, %d with too little, %d bad\n",
              counts[ENOUGH], counts[TOO_LITTLE], counts[BAD]);
  return counts[BAD] == 0 && counts[ENOUGH] > 0 && counts[TOO_LITTLE] > 0 ? 0 : 1;
}
