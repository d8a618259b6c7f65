/* The least that an implementation in C costs: functions that know the route and the
 * names of the parameters, and only build the tables and the URL. And a counter of
 * allocations. */
#include <lauxlib.h>
#include <lua.h>
#include <string.h>

#include "../src/endpoint.h"

/* Strings that Lua makes once and that the functions have as upvalues, which is the
 * cheapest way to a known string. */
static const char *const names[] = {
    "get",           "post",
    "method",        "url",
    "headers",       "body",
    "accept",        "application/vnd.service.v3+json",
    "user-agent",    "service-endpoint.js/" ENDPOINT_VERSION,
    "content-type",  "application/json; charset=utf-8",
    "authorization", "token 0123456789",
    "org",           "type",
    "owner",         "repo",
    "title",         "assignee",
    "milestone",     "state",
};
enum { GET = 1, POST, METHOD, URL, HEADERS, BODY, ACCEPT, ACCEPT_VALUE, USER_AGENT };
enum { USER_AGENT_VALUE = USER_AGENT + 1, CONTENT_TYPE, CONTENT_TYPE_VALUE };
enum { AUTHORIZATION = CONTENT_TYPE_VALUE + 1, AUTHORIZATION_VALUE, ORG, TYPE, OWNER, REPO };
enum { TITLE = REPO + 1, ASSIGNEE, MILESTONE, STATE };

static size_t put(char *to, const char *text) {
  size_t size = strlen(text);
  memcpy(to, text, size);
  return size;
}

/* [-0, +1] Pushes a field of the options at index 1. */
static void push_field(lua_State *L, int name) {
  lua_pushvalue(L, lua_upvalueindex(name));
  lua_rawget(L, 1);
}

/* [-0, +0] Appends a field of the options. */
static size_t put_field(lua_State *L, char *to, int name) {
  size_t size;
  const char *text;
  push_field(L, name);
  text = lua_tolstring(L, -1, &size);
  memcpy(to, text, size);
  lua_pop(L, 1);
  return size;
}

/* [-0, +0] Sets a field of the table on top. */
static void set(lua_State *L, int name, int value) {
  lua_pushvalue(L, lua_upvalueindex(name));
  lua_pushvalue(L, lua_upvalueindex(value));
  lua_rawset(L, -3);
}

/* [-0, +1] Pushes the result without its headers. */
static void push_result(lua_State *L, int method, const char *url, size_t size, int fields) {
  lua_createtable(L, 0, fields);
  set(L, METHOD, method);
  lua_pushvalue(L, lua_upvalueindex(URL));
  lua_pushlstring(L, url, size);
  lua_rawset(L, -3);
}

/* [-0, +2] Pushes "headers" and a table of the headers that every result has. */
static void push_headers(lua_State *L, int fields) {
  lua_pushvalue(L, lua_upvalueindex(HEADERS));
  lua_createtable(L, 0, fields);
  set(L, ACCEPT, ACCEPT_VALUE);
  set(L, USER_AGENT, USER_AGENT_VALUE);
}

/* GET /orgs/:org/repos with org and type */
static int baseline_get(lua_State *L) {
  char url[512];
  size_t n = put(url, "https://api.service.example/orgs/");
  n += put_field(L, url + n, ORG);
  n += put(url + n, "/repos?type=");
  n += put_field(L, url + n, TYPE);
  push_result(L, GET, url, n, 3);
  push_headers(L, 2);
  lua_rawset(L, -3);
  return 1;
}

/* The same over an endpoint with baseUrl, authorization, org and per_page */
static int baseline_get_with_defaults(lua_State *L) {
  char url[512];
  size_t n = put(url, "https://ghe.example/api/v3/orgs/octokit/repos?per_page=100&type=");
  n += put_field(L, url + n, TYPE);
  push_result(L, GET, url, n, 3);
  push_headers(L, 3);
  set(L, AUTHORIZATION, AUTHORIZATION_VALUE);
  lua_rawset(L, -3);
  return 1;
}

/* POST /repos/{owner}/{repo}/issues with five keys for the body */
static int baseline_post(lua_State *L) {
  static const int keys[] = {TITLE, BODY, ASSIGNEE, MILESTONE, STATE};
  char url[512];
  size_t i, n = put(url, "https://api.service.example/repos/");
  n += put_field(L, url + n, OWNER);
  n += put(url + n, "/");
  n += put_field(L, url + n, REPO);
  n += put(url + n, "/issues");
  push_result(L, POST, url, n, 4);
  push_headers(L, 3);
  set(L, CONTENT_TYPE, CONTENT_TYPE_VALUE);
  lua_rawset(L, -3);
  lua_pushvalue(L, lua_upvalueindex(BODY));
  lua_createtable(L, 0, 5);
  for (i = 0; i < 5; i++) {
    lua_pushvalue(L, lua_upvalueindex(keys[i]));
    push_field(L, keys[i]);
    lua_rawset(L, -3);
  }
  lua_rawset(L, -3);
  return 1;
}

/* fill(n): a string of n bytes, 4 MB at most: a long URL without encoding */
static int baseline_fill(lua_State *L) {
  char *buffer = (char *)lua_touserdata(L, lua_upvalueindex(1));
  size_t n = (size_t)lua_tonumber(L, 1);
  memset(buffer, 'a', n);
  lua_pushlstring(L, buffer, n);
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

/* [-0, +0] Sets a function with the names as upvalues in the module on top. */
static void add(lua_State *L, const char *name, lua_CFunction f) {
  const int count = (int)(sizeof names / sizeof *names);
  int i;
  luaL_checkstack(L, count, NULL);
  for (i = 0; i < count; i++)
    lua_pushstring(L, names[i]);
  lua_pushcclosure(L, f, count);
  lua_setfield(L, -2, name);
}

int luaopen_baseline(lua_State *L);

int luaopen_baseline(lua_State *L) {
  lua_createtable(L, 0, 5);
  add(L, "get", baseline_get);
  add(L, "get_with_defaults", baseline_get_with_defaults);
  add(L, "post", baseline_post);
  lua_newuserdata(L, 4 << 20);
  lua_pushcclosure(L, baseline_fill, 1);
  lua_setfield(L, -2, "fill");
  lua_pushcfunction(L, allocations);
  lua_setfield(L, -2, "allocations");
  return 1;
}
