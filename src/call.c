/* Reading a call. */
#include "call.h"

#include <string.h>

#include "compile.h"
#include "copy.h"
#include "error.h"
#include "stack.h"

/* --- arguments -------------------------------------------------------------- */

static void argument_error(lua_State *L, int index, const char *expected) {
  ep_error(L, "endpoint: argument %d: expected %s, got %s", index - EP_CALL_SELF, expected,
           ep_type_name(L, index));
}

static void check_arguments(lua_State *L, EpPurpose purpose, int first, int second) {
  if (purpose == EP_FOR_PARSE && first != LUA_TTABLE)
    argument_error(L, EP_ARG_ROUTE, "a table of merged options");
  if (purpose == EP_FOR_DEFAULTS && first != LUA_TTABLE && first != LUA_TNIL)
    argument_error(L, EP_ARG_ROUTE, "options (table) alone");
  if (first != LUA_TSTRING && first != LUA_TTABLE && first != LUA_TNIL)
    argument_error(L, EP_ARG_ROUTE, "a route (string) or options (table)");
  if (first == LUA_TTABLE && second != LUA_TNIL)
    argument_error(L, EP_ARG_OPTIONS, "nothing after a table of options");
  if (second != LUA_TTABLE && second != LUA_TNIL)
    argument_error(L, EP_ARG_OPTIONS, "options (table)");
}

/* Brings the arguments into their places: a route or nil, options or nil. */
static void normalize_arguments(lua_State *L, EpCall *c) {
  int first, second;
  for (int i = lua_gettop(L); i > EP_ARG_OPTIONS; i--)
    if (!lua_isnil(L, i))
      argument_error(L, i, "nothing after the options");
  lua_settop(L, EP_ARG_OPTIONS);
  first = lua_type(L, EP_ARG_ROUTE);
  second = lua_type(L, EP_ARG_OPTIONS);
  check_arguments(L, c->purpose, first, second);
  if (first == LUA_TTABLE)
    lua_insert(L, EP_ARG_ROUTE); /* of options alone: they and nil change places */
  c->has_route = first == LUA_TSTRING;
  c->has_options = first == LUA_TTABLE || second == LUA_TTABLE;
}

/* --- slots ------------------------------------------------------------------ */

/* The number of a slot is an option, or EP_OPTION_COUNT plus a variable. */
enum { NO_SLOT = -1 };

/* [-1, +0] Puts the value on top into a slot. */
static void set_slot(lua_State *L, const EpCall *c, int slot) {
  if (slot < EP_OPTION_COUNT)
    lua_replace(L, ep_call_slot((EpOption)slot));
  else
    ep_array_set(L, &c->variables, slot - EP_OPTION_COUNT);
}

static bool is_empty_slot(lua_State *L, const EpCall *c, int slot) {
  bool is_empty;
  if (slot < EP_OPTION_COUNT)
    return lua_isnil(L, ep_call_slot((EpOption)slot));
  ep_array_push(L, &c->variables, slot - EP_OPTION_COUNT);
  is_empty = lua_isnil(L, -1);
  lua_pop(L, 1);
  return is_empty;
}

/* The slot of the variable of that name, else of the option; NO_SLOT if it is neither. */
static int find_slot(const EpCall *c, EpSlice key) {
  int variable = c->compiled
                     ? ep_names_find(c->compiled->t->variables, c->compiled->t->variable_count, key)
                     : -1;
  EpOption option;
  if (variable >= 0)
    return EP_OPTION_COUNT + variable;
  option = ep_option_find(key);
  return option == EP_OPTION_COUNT ? NO_SLOT : (int)option;
}

/* --- the call's parameters and options ---------------------------------------- */

static void read_given(lua_State *L, EpCall *c) {
  lua_pushnil(L);
  while (lua_next(L, EP_ARG_OPTIONS)) {
    EpSlice key;
    int slot;
    if (lua_type(L, -2) != LUA_TSTRING)
      ep_error(L, "endpoint: options: expected strings as keys, got a %s key",
               luaL_typename(L, -2));
    key = ep_to_slice(L, -2);
    slot = find_slot(c, key);
    if (slot == NO_SLOT) {
      ep_pairs_append(L, &c->leftovers, key);
      continue;
    }
    if (slot < EP_OPTION_COUNT)
      c->given |= EP_BIT(slot);
    set_slot(L, c, slot);
  }
}

static void check_option(lua_State *L, EpOption option, int type) {
  int index = ep_call_slot(option);
  if (lua_type(L, index) == type || ep_is_absent(L, index))
    return;
  lua_pushfstring(L, "\"%s\"", ep_option_names[option]);
  ep_type_error(L, "option", lua_tostring(L, -1), type == LUA_TSTRING ? "a string" : "a table",
                index);
}

/* Checks the types of the options. Only data and request may have any type. */
static void check_options(lua_State *L, const EpCall *c) {
  for (int option = EP_METHOD; option <= EP_MEDIA_TYPE; option++)
    if (c->given & EP_BIT(option))
      check_option(L, (EpOption)option, option >= EP_HEADERS ? LUA_TTABLE : LUA_TSTRING);
}

static void check_beside_route(lua_State *L, EpOption option) {
  if (!ep_is_absent(L, ep_call_slot(option)))
    ep_error(L,
             "endpoint: option \"%s\": the route names it already; a parameter of that name "
             "goes into data or through {?params*}",
             ep_option_names[option]);
}

/* The options must not give what the route names. */
static void check_route_conflicts(lua_State *L, const EpCall *c) {
  check_beside_route(L, EP_URL);
  if (c->route.method.bytes)
    check_beside_route(L, EP_METHOD);
}

/* Puts the route's URL into the slot of that option, for merge. */
static void set_route_url(lua_State *L, EpCall *c) {
  ep_push_slice(L, c->route.url);
  set_slot(L, c, EP_URL);
  c->given |= EP_BIT(EP_URL);
}

/* --- defaults ------------------------------------------------------------------ */

/* [-0, +1] Pushes the value that the call gives the parameter whose name is on top. */
static void push_given_value(lua_State *L, const EpCall *c) {
  if (!c->has_options) {
    lua_pushnil(L);
    return;
  }
  lua_pushvalue(L, -1);
  lua_rawget(L, EP_ARG_OPTIONS);
}

bool ep_call_gives_parameter(lua_State *L, const EpCall *c, int parameter) {
  const int top = lua_gettop(L);
  bool is_given;
  lua_rawgeti(L, EP_CALL_STATE, ep_state_parameter(c->e, parameter));
  push_given_value(L, c);
  is_given = !lua_isnil(L, -1);
  lua_settop(L, top);
  return is_given;
}

/* Does the call send its left-over parameters as query? */
static bool sends_query(lua_State *L, const EpCall *c) {
  int method;
  if (c->has_route && c->route.method.bytes)
    return ep_methods[ep_route_method(c->route.method)].sends == EP_SENDS_QUERY;
  ep_call_push_method(L, c);
  method = ep_route_method(ep_to_slice(L, -1));
  lua_pop(L, 1);
  return ep_methods[method].sends == EP_SENDS_QUERY;
}

/* May the url have a query of its own? */
static bool may_have_query(lua_State *L, const EpCall *c) {
  bool found;
  EpSlice url = EP_SLICE("");
  if (c->compiled)
    return c->compiled->t->query > 0;
  ep_call_push_option(L, c, EP_URL);
  if (!lua_isnil(L, -1))
    url = ep_to_slice(L, -1);
  found = memchr(url.bytes, '?', url.size) != NULL;
  lua_pop(L, 1);
  return found;
}

/* The template whose own query replaces default parameters, so that a next page keeps the
 * server's; NULL if there is none. */
static const EpTemplate *find_query(lua_State *L, const EpCall *c) {
  const EpTemplate *t;
  if (c->purpose == EP_FOR_DEFAULTS || !may_have_query(L, c) || !sends_query(L, c))
    return NULL;
  t = ep_call_template(L, c);
  return t && t->query > 0 ? t : NULL;
}

/* Does the url say the parameter in its own query, and not by an expression? */
static bool is_replaced(const EpTemplate *query, EpSlice name) {
  return query && ep_names_find(query->variables, query->variable_count, name) < 0 &&
         ep_template_has_pair(query, name);
}

/* Appends a default parameter to the left-over ones, unless the call gives it. */
static void append_default(lua_State *L, EpCall *c, int parameter) {
  const int field = ep_state_parameter(c->e, parameter);
  lua_rawgeti(L, EP_CALL_STATE, field);
  push_given_value(L, c);
  if (lua_isnil(L, -1)) {
    lua_rawgeti(L, EP_CALL_STATE, field + 1);
    lua_replace(L, -2);
    ep_pairs_append(L, &c->leftovers, c->e->names[parameter]);
  } else {
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
}

static void read_default_parameters(lua_State *L, EpCall *c) {
  const EpTemplate *query = c->e->parameters > 0 ? find_query(L, c) : NULL;
  for (int i = 0; i < c->e->parameters; i++) {
    const int slot = find_slot(c, c->e->names[i]);
    if (slot == NO_SLOT) {
      if (!is_replaced(query, c->e->names[i]))
        append_default(L, c, i);
    } else if (is_empty_slot(L, c, slot)) {
      lua_rawgeti(L, EP_CALL_STATE, ep_state_parameter(c->e, i) + 1);
      set_slot(L, c, slot);
    }
  }
}

/* [-0, +0] Replaces the value on top, a default's, by its copy. Nothing can be wrong with a
 * copy of what was copied before, so no error names it. */
static void copy_default(lua_State *L, int memo) {
  ep_copy(L, memo, EP_SLICE(""));
}

void ep_call_copy_defaults(lua_State *L, const EpCall *c) {
  const int memo = lua_gettop(L) + 1;
  lua_pushnil(L);
  for (int i = c->given_leftovers; i < c->leftovers.count; i++) {
    ep_pairs_push_value(L, &c->leftovers, i);
    copy_default(L, memo);
    ep_pairs_set_value(L, &c->leftovers, i);
  }
  if (c->defaulted & ~c->given & EP_BIT(EP_DATA)) {
    lua_pushvalue(L, ep_call_slot(EP_DATA));
    copy_default(L, memo);
    lua_replace(L, ep_call_slot(EP_DATA));
  }
  lua_pop(L, 1);
}

/* --- options over defaults ------------------------------------------------------ */

void ep_call_push_option(lua_State *L, const EpCall *c, EpOption option) {
  if (ep_is_absent(L, ep_call_slot(option)))
    ep_call_push_default(L, c, option);
  else
    lua_pushvalue(L, ep_call_slot(option));
}

void ep_call_push_default(lua_State *L, const EpCall *c, EpOption option) {
  bool is_cancelled = (c->given & EP_BIT(option)) && ep_is_null(L, ep_call_slot(option));
  if ((c->defaulted & EP_BIT(option)) && !is_cancelled)
    lua_rawgeti(L, EP_CALL_STATE, EP_STATE_OPTION + (int)option);
  else
    lua_pushnil(L);
}

void ep_call_push_method(lua_State *L, const EpCall *c) {
  ep_call_push_option(L, c, EP_METHOD);
  if (lua_isnil(L, -1)) {
    lua_pop(L, 1);
    lua_pushliteral(L, "GET");
  }
  ep_check_method(L, ep_to_slice(L, -1));
}

/* --- the call ------------------------------------------------------------------ */

/* [-0, +1] Pushes the url of a call without a route, else the default one. */
static void push_url(lua_State *L, const EpCall *c) {
  lua_pushnil(L);
  if (c->has_options) {
    ep_push_option_name(L, EP_URL);
    lua_rawget(L, EP_ARG_OPTIONS);
    lua_replace(L, -2);
  }
  if (lua_isnil(L, -1) && (c->defaulted & EP_BIT(EP_URL))) {
    lua_rawgeti(L, EP_CALL_STATE, EP_STATE_OPTION + (int)EP_URL);
    lua_replace(L, -2);
  }
  if (ep_is_absent(L, -1))
    ep_error(L, "endpoint: option \"url\" is missing: expected %s",
             c->purpose == EP_FOR_PARSE ? "a url" : "a route or a url");
  if (lua_type(L, -1) != LUA_TSTRING)
    ep_type_error(L, "option", "\"url\"", "a string", lua_gettop(L));
}

/* [-0, +1] Pushes the compiled template. It is found before the options are read, for it
 * says which of them are variables. */
static void push_compiled(lua_State *L, EpCall *c) {
  if (c->has_route) {
    c->compiled = ep_cache_push(L, true, EP_ARG_ROUTE);
    c->route.method = c->compiled->method;
    c->route.url = c->compiled->t->text;
  } else {
    push_url(L, c);
    c->compiled = ep_cache_push(L, false, EP_CALL_TEMPLATE);
    lua_replace(L, EP_CALL_TEMPLATE);
  }
}

/* [-0, +1] Pushes nil, since merge compiles no template. */
static void push_uncompiled(lua_State *L, EpCall *c) {
  c->compiled = NULL;
  if (c->has_route)
    c->route = ep_read_route(L, EP_ARG_ROUTE);
  lua_pushnil(L);
}

const EpTemplate *ep_call_template(lua_State *L, const EpCall *c) {
  const int top = lua_gettop(L);
  const EpTemplate *t;
  EpTemplateRoom room;
  EpTemplateError error;
  EpSlice text = EP_SLICE("");
  void *block;
  if (c->compiled)
    return c->compiled->t;
  ep_call_push_option(L, c, EP_URL);
  if (!lua_isnil(L, -1))
    text = ep_to_slice(L, -1);
  room = ep_template_room(text);
  block = ep_newuserdata(L, room.size);
  t = ep_template_compile(block, room, text, &error);
  lua_replace(L, EP_CALL_TEMPLATE);
  lua_settop(L, top);
  return t;
}

/* [-n, +m] Reads the arguments and finds the template. The stack ends at EP_CALL_TEMPLATE then. */
static void open_call(lua_State *L, EpCall *c, EpPurpose purpose) {
  c->e = (const EpEndpoint *)lua_touserdata(L, EP_CALL_SELF);
  c->purpose = purpose;
  c->given = 0;
  c->defaulted = purpose == EP_FOR_PARSE ? 0 : c->e->defaulted;
  normalize_arguments(L, c);
  ep_getuservalue(L, EP_CALL_SELF);
  if (purpose == EP_FOR_CALL || purpose == EP_FOR_PARSE)
    push_compiled(L, c);
  else
    push_uncompiled(L, c);
}

void ep_call_read(lua_State *L, EpCall *c, EpPurpose purpose) {
  ep_checkstack(L, (int)EP_CALL_VARIABLES + EP_ARRAY_ON_STACK + EP_PAIRS_SLOTS,
                "endpoint: no room for the parameters");
  open_call(L, c, purpose);
  ep_array_make(L, &c->variables, EP_CALL_VARIABLES,
                c->compiled ? c->compiled->t->variable_count : 0);
  ep_pairs_init(L, &c->leftovers);
  if (c->has_options)
    read_given(L, c);
  c->given_leftovers = c->leftovers.count;
  if (c->given)
    check_options(L, c);
  if (c->given && c->has_route)
    check_route_conflicts(L, c);
  if (c->has_route && !c->compiled)
    set_route_url(L, c);
  if (purpose != EP_FOR_PARSE)
    read_default_parameters(L, c);
}
