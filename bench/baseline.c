/* The least that an implementation in C costs: a function that knows the route and the names of the
 * parameters, and only builds the tables and the URL. */
#include <lauxlib.h>
#include <lua.h>
#include <string.h>

#include "../src/endpoint.h"

/* Strings that Lua makes once and that the function has as upvalues, which is the cheapest way to a
 * known string. The value of a field is after its name. */
static const char *const strings[] = {"method",     "get",
                                      "accept",     "application/vnd.service.v3+json",
                                      "user-agent", "service-endpoint.js/" ENDPOINT_VERSION,
                                      "url",        "headers",
                                      "org",        "type"};
enum { METHOD = 1, ACCEPT = 3, USER_AGENT = 5, URL = 7, HEADERS, ORG, TYPE };

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
static void set(lua_State *L, int name) {
  lua_pushvalue(L, lua_upvalueindex(name));
  lua_pushvalue(L, lua_upvalueindex(name + 1));
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
  set(L, METHOD);
  lua_pushvalue(L, lua_upvalueindex(URL));
  lua_pushlstring(L, url, n);
  lua_rawset(L, -3);
  lua_pushvalue(L, lua_upvalueindex(HEADERS));
  lua_createtable(L, 0, 2);
  set(L, ACCEPT);
  set(L, USER_AGENT);
  lua_rawset(L, -3);
  return 1;
}

int luaopen_baseline(lua_State *L);

int luaopen_baseline(lua_State *L) {
  const int count = (int)(sizeof strings / sizeof *strings);
  for (int i = 0; i < count; i++)
    lua_pushstring(L, strings[i]);
  lua_pushcclosure(L, baseline_get, count);
  return 1;
}
