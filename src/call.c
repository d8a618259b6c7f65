/* SPDX-License-Identifier: MIT */
#include "call.h"

#include "core/bytes.h"
#include "errors.h"
#include "value.h"

const char ep_endpoint_mark = 0;

const EpEndpoint *ep_call_self(lua_State *L) {
  const EpEndpoint *e = (const EpEndpoint *)lua_touserdata(L, EP_CALL_SELF);
  if (!e || ep_rawlen(L, EP_CALL_SELF) < sizeof *e || e->mark != &ep_endpoint_mark)
    ep_error(L, "endpoint: expected an endpoint, got %s", ep_type_name(L, EP_CALL_SELF));
  return e;
}

/* --- arguments -------------------------------------------------------------- */

static EP_NORETURN void argument_error(lua_State *L, int index, const char *expected) {
  ep_error(L, "endpoint: argument %d: expected %s, got %s", index - EP_CALL_SELF, expected,
           ep_type_name(L, index));
}

/* Brings the arguments into their places: a route or nil, options or nil. */
static void normalize_arguments(lua_State *L, EpCall *c) {
  const int top = lua_gettop(L);
  for (int i = top; i > EP_ARG_OPTIONS; i--)
    if (!lua_isnil(L, i))
      argument_error(L, i, "nothing after the options");
  if (top != EP_ARG_OPTIONS)
    lua_settop(L, EP_ARG_OPTIONS);
  const int first = lua_type(L, EP_ARG_ROUTE), second = lua_type(L, EP_ARG_OPTIONS);
  const bool has_no_route =
      first == LUA_TTABLE || (first == LUA_TNIL && !c->purpose->needs_options);
  if (c->purpose->options_alone && !has_no_route)
    argument_error(L, EP_ARG_ROUTE, c->purpose->options_alone);
  if (first != LUA_TSTRING && first != LUA_TTABLE && first != LUA_TNIL)
    argument_error(L, EP_ARG_ROUTE, "a route (string) or options (table)");
  if (first == LUA_TTABLE && second != LUA_TNIL)
    argument_error(L, EP_ARG_OPTIONS, "nothing after a table of options");
  if (second != LUA_TTABLE && second != LUA_TNIL)
    argument_error(L, EP_ARG_OPTIONS, "options (table)");
  if (first == LUA_TTABLE)
    lua_insert(L, EP_ARG_ROUTE); /* only options: they and nil change places */
  c->has_route = first == LUA_TSTRING;
  c->has_options = first == LUA_TTABLE || second == LUA_TTABLE;
}

/* --- the call's options and parameters ------------------------------------------ */

enum { NO_SLOT }; /* 0: indexes of the stack begin at 1 */

/* The stack index of the variable of that name, otherwise of the option. NO_SLOT if the name is
 * neither. */
static int find_slot(const EpCall *c, EpSlice key) {
  if (c->value_count > 0) {
    const int variable = ep_names_find(c->compiled->t->variables, c->value_count, key);
    if (variable >= 0)
      return EP_CALL_VALUES + variable;
  }
  const EpOption option = ep_option_find(key);
  return option == EP_OPTION_COUNT ? NO_SLOT : ep_call_slot(option);
}

static void read_given(lua_State *L, EpCall *c) {
  lua_pushnil(L);
  while (lua_next(L, EP_ARG_OPTIONS)) {
    if (lua_type(L, -2) != LUA_TSTRING)
      ep_error(L, "endpoint: options: expected strings as keys, got a %s key",
               luaL_typename(L, -2));
    const EpSlice key = ep_to_slice(L, -2);
    const int slot = find_slot(c, key);
    if (slot == NO_SLOT) {
      ep_pairs_append(L, &c->leftovers, key);
      lua_pushvalue(L, -2);
      continue;
    }
    if (slot < EP_CALL_VALUES)
      c->given |= EP_BIT(slot - EP_CALL_OPTIONS);
    lua_replace(L, slot);
  }
}

/* Raises if an option is given that the route has already. */
static void check_beside_route(lua_State *L, EpOption option) {
  if (!ep_is_absent(L, ep_call_slot(option)))
    ep_error(L,
             "endpoint: option \"%s\": the route names it already; a parameter of that name "
             "goes into data or through {?params*}",
             ep_option_names[option].bytes);
}

/* Checks the types of the options. The options from EP_DATA on may have any type. */
static void check_options(lua_State *L, const EpCall *c) {
  for (int option = EP_METHOD; option < EP_DATA; option++) {
    const int type = option >= EP_HEADERS ? LUA_TTABLE : LUA_TSTRING;
    const int index = ep_call_slot((EpOption)option);
    if (!(c->given & EP_BIT(option)) || lua_type(L, index) == type || ep_is_absent(L, index))
      continue;
    ep_type_error(L, "option", lua_pushfstring(L, "\"%s\"", ep_option_names[option].bytes),
                  type == LUA_TSTRING ? "a string" : "a table", index);
  }
  if (c->has_route)
    check_beside_route(L, EP_URL);
  if (c->has_route && c->compiled->method != EP_NO_METHOD)
    check_beside_route(L, EP_METHOD);
}

/* --- options over defaults ------------------------------------------------------ */

void ep_call_push_option(lua_State *L, const EpCall *c, EpOption option) {
  if (ep_is_absent(L, ep_call_slot(option)))
    ep_call_push_default(L, c, option);
  else
    lua_pushvalue(L, ep_call_slot(option));
}

void ep_call_push_default(lua_State *L, const EpCall *c, EpOption option) {
  if (ep_call_keeps_default(L, c, option))
    lua_rawgeti(L, EP_CALL_STATE, EP_STATE_OPTION + (int)option);
  else
    lua_pushnil(L);
}

/* [-0, +1] Pushes the value that the call gives the parameter or option whose name is on top. */
static void push_given(lua_State *L, const EpCall *c) {
  if (c->has_options) {
    lua_pushvalue(L, -1);
    lua_rawget(L, EP_ARG_OPTIONS);
  } else {
    lua_pushnil(L);
  }
}

void ep_call_push_method(lua_State *L, const EpCall *c) {
  if (c->has_route && c->compiled->method != EP_NO_METHOD) {
    ep_push_slice(L, ep_route_split(ep_to_slice(L, EP_ARG_ROUTE)).method);
    return;
  }
  ep_call_push_option(L, c, EP_METHOD);
  if (lua_isnil(L, -1)) {
    lua_pop(L, 1);
    lua_pushliteral(L, "GET");
  }
  if (!ep_route_is_token(ep_to_slice(L, -1)))
    ep_method_error(L, ep_to_slice(L, -1));
}

int ep_call_method(lua_State *L, const EpCall *c) {
  int method = c->compiled->method;
  if (method == EP_NO_METHOD) {
    ep_call_push_method(L, c);
    method = ep_route_method(ep_to_slice(L, -1));
    lua_pop(L, 1);
  }
  return method;
}

/* The url may have a query of its own, and a server's link to the next page does. A pair in it
 * replaces the default parameter of that name. Returns an array that tells for each default
 * parameter whether it is replaced. Returns NULL if the url has no query, or if the method does not
 * send one. */
static const bool *read_own_query(lua_State *L, const EpCall *c) {
  const EpTemplate *t = c->compiled ? c->compiled->t : NULL;
  const char *pair = t && c->e->parameters > 0 ? ep_template_query(t) : NULL;
  const size_t count = (size_t)c->e->parameters;
  EpSlice name;
  if (!pair || ep_methods[ep_call_method(L, c)].sends != EP_SENDS_QUERY)
    return NULL;
  bool *own = (bool *)ep_newuserdata(L, count * sizeof *own + t->text.size);
  memset(own, 0, count * sizeof *own);
  lua_replace(L, EP_CALL_SCRATCH);
  char *decoded = (char *)(own + count);
  while (pair) {
    pair = ep_template_pair(t, pair, &name);
    name = ep_slice(decoded, ep_percent_decode(decoded, name));
    if (name.size == 0 || ep_names_find(t->variables, t->variable_count, name) >= 0)
      continue;
    const int parameter = ep_names_find(ep_endpoint_names(c->e), c->e->parameters, name);
    if (parameter >= 0)
      own[parameter] = true;
  }
  return own;
}

/* Notes a default parameter that the call does not give itself. They come in sorted order, except
 * data. */
static void keep_default(EpCall *c, EpSlice name) {
  if (c->kept_count < EP_KEPT)
    c->kept[c->kept_count++] = name;
  else if (ep_slice_compare(name, c->kept[EP_KEPT - 1]) < 0)
    c->kept[EP_KEPT - 1] = name;
}

/* Makes a default the value of a variable, unless the call gives one. `field` is the default's key
 * in the state. */
static void fill_slot(lua_State *L, EpCall *c, int slot, EpSlice name, int field) {
  if (!lua_isnil(L, slot))
    return;
  keep_default(c, name);
  lua_rawgeti(L, EP_CALL_STATE, field);
  lua_replace(L, slot);
}

/* Appends a default parameter to the left-over ones, unless the call gives it, or the url's own
 * query replaces it. */
static void append_default(lua_State *L, EpCall *c, int parameter, bool is_replaced) {
  const int field = ep_state_parameter(c->e, parameter);
  lua_rawgeti(L, EP_CALL_STATE, field);
  push_given(L, c);
  const bool is_given = !lua_isnil(L, -1);
  lua_pop(L, 1);
  if (!is_given)
    keep_default(c, ep_endpoint_names(c->e)[parameter].text);
  if (is_given || is_replaced) {
    lua_pop(L, 1);
    return;
  }
  lua_rawgeti(L, EP_CALL_STATE, field + 1);
  ep_pairs_append(L, &c->leftovers, ep_endpoint_names(c->e)[parameter].text);
}

static void read_default_parameters(lua_State *L, EpCall *c) {
  const bool *replaced = read_own_query(L, c);
  for (int i = 0; i < c->e->parameters; i++) {
    const EpSlice name = ep_endpoint_names(c->e)[i].text;
    const int slot = find_slot(c, name);
    if (slot == NO_SLOT)
      append_default(L, c, i, replaced && replaced[i]);
    else
      fill_slot(L, c, slot, name, ep_state_parameter(c->e, i) + 1);
  }
}

/* If the template has the variable {data}, data is only a parameter, and not an option. */
static void read_default_data(lua_State *L, EpCall *c) {
  const EpSlice name = ep_option_names[EP_DATA];
  const int slot = find_slot(c, name);
  if (slot < EP_CALL_VALUES) {
    if (ep_call_has_default(c, EP_DATA))
      keep_default(c, name);
    return;
  }
  c->defaulted &= ~EP_BIT(EP_DATA);
  fill_slot(L, c, slot, name, EP_STATE_OPTION + (int)EP_DATA);
}

/* [-0, +1] Pushes the call's url, otherwise the default one. Pushes nil or null if there is none.
 */
static void push_url(lua_State *L, EpCall *c) {
  ep_push_option_name(L, EP_URL);
  push_given(L, c);
  lua_replace(L, -2);
  c->has_default_url = lua_isnil(L, -1) && (c->defaulted & EP_BIT(EP_URL));
  if (c->has_default_url) {
    lua_rawgeti(L, EP_CALL_STATE, EP_STATE_OPTION + (int)EP_URL);
    lua_replace(L, -2);
  }
  if (ep_is_absent(L, -1) && c->purpose->needs_url)
    ep_error(L, "endpoint: option \"url\" is missing: expected %s",
             c->purpose->options_alone ? "a url" : "a route or a url");
  if (!ep_is_absent(L, -1) && lua_type(L, -1) != LUA_TSTRING)
    ep_type_error(L, "option", "\"url\"", "a string", lua_gettop(L));
}

/* [-0, +2] Pushes a url and the compiled template, each nil if there is none. The template is found
 * before the options are read, since it says which of them are variables. */
static void push_template(lua_State *L, EpCall *c) {
  const int routes = lua_upvalueindex(EP_UPVALUE_ROUTES), urls = lua_upvalueindex(EP_UPVALUE_URLS);
  c->compiled = NULL;
  c->has_default_url = false;
  if (c->has_route || !c->purpose->compiles_url)
    lua_pushnil(L);
  else
    push_url(L, c);
  if (c->has_route)
    c->compiled = ep_compile_push(L, routes, true, EP_ARG_ROUTE);
  else if (!ep_is_absent(L, EP_CALL_URL))
    c->compiled = ep_compile_push(L, urls, false, EP_CALL_URL);
  else
    lua_pushnil(L);
}

static void make_slots(lua_State *L, EpCall *c) {
  c->value_count = c->purpose->fills_variables ? c->compiled->t->variable_count : 0;
  if (c->value_count > EP_PAIRS_STEP && !lua_checkstack(L, c->value_count + EP_PAIRS_SLOTS))
    ep_error(L, "endpoint: template: %d variables do not fit on Lua's stack: expected fewer",
             c->value_count);
  lua_settop(L, EP_CALL_VALUES + c->value_count - 1);
  ep_pairs_begin(L, &c->leftovers);
}

void ep_call_read(lua_State *L, EpCall *c, const EpPurpose *purpose) {
  ep_checkstack(L, (int)EP_CALL_VALUES + EP_PAIRS_STEP + LUA_MINSTACK,
                "endpoint: no room for the parameters");
  c->e = ep_call_self(L);
  c->purpose = purpose;
  c->given = 0;
  c->defaulted = purpose->has_defaults ? c->e->defaulted : 0;
  c->kept_count = 0;
  c->headers.count = -1;
  normalize_arguments(L, c);
  ep_getuservalue(L, EP_CALL_SELF);
  push_template(L, c);
  make_slots(L, c);
  if (c->has_options)
    read_given(L, c);
  c->given_leftovers = c->leftovers.count;
  if (c->given)
    check_options(L, c);
  if (purpose->has_defaults)
    read_default_parameters(L, c);
  if (c->defaulted & EP_BIT(EP_DATA))
    read_default_data(L, c);
}
