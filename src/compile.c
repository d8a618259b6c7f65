/* Routes, URLs and methods. */
#include "compile.h"

#include <string.h>

#include "core/options.h"
#include "core/percent.h"
#include "error.h"
#include "stack.h"

/* --- methods and routes --------------------------------------------------------- */

void ep_check_method(lua_State *L, EpSlice method) {
  if (!ep_route_is_token(method))
    ep_error(L, "endpoint: method %s: expected a token such as GET", ep_quote_value(L, method));
}

/* Checks the method of a route. A URL with white space in it looks like a method and a URL. It
 * is quoted whole, for the "@" behind a password may stand behind the white space. */
static void check_route_method(lua_State *L, EpSlice route, EpSlice method) {
  if (ep_route_is_token(method))
    return;
  if (memchr(method.bytes, '/', method.size) || memchr(method.bytes, ':', method.size))
    ep_error(L, "endpoint: route %s: expected a method, a token such as GET, before white space",
             ep_quote_url(L, route));
  ep_check_method(L, method);
}

/* "GET POST /x" and "GET/x" are slips. Only the method is quoted. */
static void check_route_url(lua_State *L, EpSlice url) {
  const EpSlice method = ep_route_misplaced_method(url);
  if (method.size > 0)
    ep_error(
        L,
        "endpoint: route: expected \"<METHOD> <URL>\" or a URL, got a URL that begins with the "
        "method %s (a path of that name begins with \"/\")",
        ep_quote(L, method));
}

EpRoute ep_read_route(lua_State *L, int index) {
  const EpSlice text = ep_to_slice(L, index);
  EpRoute route = ep_route_split(text);
  if (route.url.size == 0)
    ep_error(L, "endpoint: route %s: expected \"<METHOD> <URL>\" or a URL, got %s",
             ep_quote_url(L, text), route.method.bytes ? "a method alone" : "no text");
  if (route.method.bytes)
    check_route_method(L, text, route.method);
  check_route_url(L, route.url);
  return route;
}

/* --- templates -------------------------------------------------------------------- */

static EpRoute split_text(lua_State *L, bool is_route, int text) {
  EpRoute route = {{NULL, 0}, {NULL, 0}};
  if (is_route)
    return ep_read_route(L, text);
  route.url = ep_to_slice(L, text);
  return route;
}

static const EpTemplate *compile_url(lua_State *L, void *block, EpTemplateRoom room, EpSlice url) {
  EpTemplateError error;
  const EpTemplate *t = ep_template_compile(block, room, url, &error);
  if (!t)
    ep_error(L, "endpoint: template %s: %s at byte %d", ep_quote_url(L, url), error.reason,
             (int)error.byte);
  return t;
}

/* Raises if a variable is named like an option, and names the first such variable. */
static void check_variables(lua_State *L, const EpTemplate *t) {
  for (size_t i = 0; i < t->varspec_count; i++) {
    const EpSlice name = t->variables[t->varspecs[i].variable].text;
    EpOption option = ep_option_find(name);
    if (option != EP_OPTION_COUNT && option != EP_DATA)
      ep_error(L,
               "endpoint: template variable %s at byte %d has the name of an option: "
               "expected another name",
               ep_quote(L, name), (int)(name.bytes - t->text.bytes) + 1);
  }
}

/* The method lies behind the template. */
void ep_compile_push(lua_State *L, bool is_route, int text) {
  const EpRoute route = split_text(L, is_route, text);
  const EpTemplateRoom room = ep_template_room(route.url);
  EpCompiled *c = (EpCompiled *)ep_newuserdata(L, sizeof *c + room.size + route.method.size);
  char *method = (char *)(c + 1) + room.size;
  c->t = compile_url(L, c + 1, room, route.url);
  check_variables(L, c->t);
  ep_lower(method, route.method);
  c->method = ep_slice(route.method.bytes ? method : NULL, route.method.size);
  c->known = ep_route_method(route.method);
}
