/* The least that an implementation in C costs: a function that knows the route and the names of
 * the parameters, and only builds the tables and the URL. And a counter of allocations. */
#include <lauxlib.h>
#include <lua.h>
#include <string.h>

#include "../src/endpoint.h"

/* Strings that Lua makes once and that the function has as upvalues, which is the
 * cheapest way to a known string. */
static const char *const names[] = {
    "get",        "method",
    "url",        "headers",
    "accept",     "application/vnd.service.v3+json",
    "user-agent", "service-endpoint.js/" ENDPOINT_VERSION,
    "org",        "type",
};
enum {
  GET = 1,
  METHOD,
  URL,
  HEADERS,
  ACCEPT,
  ACCEPT_VALUE,
  USER_AGENT,
  USER_AGENT_VALUE,
  ORG,
  TYPE
};

static size_t put(char *to, const char *text) {
  size_t size = strlen(text);
  memcpy(to, text, size);
  return size;
}

/* Appends a field of the options at index 1. */
static size_t put_field(lua_State *L, char *to, int name) {
  size_t size;
  const char *text;
  lua_pushvalue(L, lua_upvalueindex(name));
  lua_rawget(L, 1);
  text = lua_tolstring(L, -1, &size);
  memcpy(to, text, size);
  lua_pop(L, 1);
  return size;
}

/* Sets a field of the table on top. */
static void set(lua_State *L, int name, int value) {
  lua_pushvalue(L, lua_upvalueindex(name));
  lua_pushvalue(L, lua_upvalueindex(value));
  lua_rawset(L, -3);
}

/* GET /orgs/:org/repos with org and type */
static int baseline_get(lua_State *L) {
  char url[512];
  size_t n = put(url, "https://api.service.example/orgs/");
  n += put_field(L, url + n, ORG);
  n += put(url + n, "/repos?type=");
  n += put_field(L, url + n, TYPE);
  lua_createtable(L, 0, 3);
  set(L, METHOD, GET);
  lua_pushvalue(L, lua_upvalueindex(URL));
  lua_pushlstring(L, url, n);
  lua_rawset(L, -3);
  lua_pushvalue(L, lua_upvalueindex(HEADERS));
  lua_createtable(L, 0, 2);
  set(L, ACCEPT, ACCEPT_VALUE);
  set(L, USER_AGENT, USER_AGENT_VALUE);
  lua_rawset(L, -3);
  return 1;
}

typedef struct Counter {
  lua_Alloc alloc;
  void *data;
  size_t count;
} Counter;

static void *count_alloc(void *data, void *block, size_t old_size, size_t new_size) {
  Counter *c = (Counter *)data;
  if (new_size > 0 && (!block || new_size > old_size))
    c->count++;
  return c->alloc(c->data, block, old_size, new_size);
}

/* allocations(f): how often f() lets the allocator make a block or make one larger. */
static int allocations(lua_State *L) {
  Counter c;
  int status;
  c.count = 0;
  c.alloc = lua_getallocf(L, &c.data);
  lua_setallocf(L, count_alloc, &c);
  status = lua_pcall(L, 0, 0, 0);
  lua_setallocf(L, c.alloc, c.data);
  if (status != 0)
    return lua_error(L);
  lua_pushnumber(L, (lua_Number)c.count);
  return 1;
}

int luaopen_baseline(lua_State *L);

int luaopen_baseline(lua_State *L) {
  const int count = (int)(sizeof names / sizeof *names);
  int i;
  lua_createtable(L, 0, 2);
  for (i = 0; i < count; i++)
    lua_pushstring(L, names[i]);
  lua_pushcclosure(L, baseline_get, count);
  lua_setfield(L, -2, "get");
  lua_pushcfunction(L, allocations);
  lua_setfield(L, -2, "allocations");
  return 1;
}
