/* Reading a call. */
#include "view.h"

#include "buffer.h"
#include "copy.h"
#include "error.h"
#include "stack.h"

enum { VARIABLES_ON_STACK = 40, NO_SLOT = -1 };

/* --- arguments -------------------------------------------------------------- */

static void argument_error(lua_State *L, int index, const char *expected) {
  ep_error(L, "endpoint: argument %d: expected %s, got %s", index - EP_VIEW_SELF, expected,
           ep_type_name(L, index));
}

/* Brings the arguments into their places: a route or nil, options or nil. */
static void settle_arguments(lua_State *L, EpView *v) {
  int first = lua_type(L, EP_ARG_ROUTE), second = lua_type(L, EP_ARG_OPTIONS);
  if (v->purpose == EP_FOR_PARSE && first != LUA_TTABLE)
    argument_error(L, EP_ARG_ROUTE, "a table of merged options");
  if (first != LUA_TSTRING && first != LUA_TTABLE && first != LUA_TNIL)
    argument_error(L, EP_ARG_ROUTE, "a route (string) or options (table)");
  if (first == LUA_TTABLE && second != LUA_TNIL)
    argument_error(L, EP_ARG_OPTIONS, "nothing after a table of options");
  if (second != LUA_TTABLE && second != LUA_TNIL)
    argument_error(L, EP_ARG_OPTIONS, "options (table)");
  if (first == LUA_TTABLE) {
    lua_pushvalue(L, EP_ARG_ROUTE);
    lua_replace(L, EP_ARG_OPTIONS);
    lua_pushnil(L);
    lua_replace(L, EP_ARG_ROUTE);
  }
  v->has_route = first == LUA_TSTRING;
  v->has_options = first == LUA_TTABLE || second == LUA_TTABLE;
}

/* --- slots ------------------------------------------------------------------ */

/* A slot is an option, or EP_OPTION_COUNT and a variable. */

static int option_index(EpOption option) {
  return EP_VIEW_OPTIONS + (int)option;
}

static bool in_table(const EpView *v, int slot) {
  return slot >= EP_OPTION_COUNT && v->many_variables;
}

int ep_view_variable(lua_State *L, const EpView *v, int variable) {
  if (!v->many_variables)
    return EP_VIEW_FEW + variable;
  lua_rawgeti(L, EP_VIEW_VARIABLES, variable + 1);
  return lua_gettop(L);
}

static bool is_empty(lua_State *L, const EpView *v, int slot) {
  bool empty;
  if (!in_table(v, slot))
    return lua_isnil(L, EP_VIEW_OPTIONS + slot);
  empty = lua_isnil(L, ep_view_variable(L, v, slot - EP_OPTION_COUNT));
  lua_pop(L, 1);
  return empty;
}

/* [-1, +0] Puts the value on top into a slot. */
static void fill_slot(lua_State *L, EpView *v, int slot) {
  if (slot < EP_OPTION_COUNT)
    v->given |= EP_BIT(slot);
  if (in_table(v, slot))
    lua_rawseti(L, EP_VIEW_VARIABLES, slot - EP_OPTION_COUNT + 1);
  else
    lua_replace(L, EP_VIEW_OPTIONS + slot);
}

/* Makes empty slots, and behind them room for the left-over parameters. */
static void make_slots(lua_State *L, EpView *v) {
  int end = EP_VIEW_FEW;
  ep_checkstack(L, EP_VIEW_FEW + VARIABLES_ON_STACK + EP_PAIRS_SLOTS + LUA_MINSTACK,
                "endpoint: no room for the parameters");
  v->many_variables = v->variables > VARIABLES_ON_STACK;
  if (v->many_variables) {
    lua_settop(L, EP_VIEW_VARIABLES - 1);
    lua_createtable(L, v->variables, 0);
  } else {
    end += v->variables;
  }
  lua_settop(L, end - 1);
  ep_pairs_init(&v->rest, EP_VIEW_REST, end);
}

/* The slot of the variable of that name, else of the option; NO_SLOT if it is neither. */
static int find_slot(const EpView *v, EpSlice key) {
  int variable = v->c ? ep_names_find(v->c->t->variables, v->variables, key) : -1;
  EpOption option;
  if (variable >= 0)
    return EP_OPTION_COUNT + variable;
  option = ep_option_find(key);
  return option == EP_OPTION_COUNT ? NO_SLOT : (int)option;
}

/* --- the walks -------------------------------------------------------------- */

static void read_given(lua_State *L, EpView *v) {
  lua_pushnil(L);
  while (lua_next(L, EP_ARG_OPTIONS)) {
    EpSlice key;
    int slot;
    if (lua_type(L, -2) != LUA_TSTRING)
      ep_error(L, "endpoint: options: expected strings as keys, got a %s key",
               luaL_typename(L, -2));
    key = ep_to_slice(L, -2);
    slot = find_slot(v, key);
    if (slot == NO_SLOT)
      ep_pairs_append(L, &v->rest, key);
    else
      fill_slot(L, v, slot);
  }
}

/* Does the call give the parameter whose name is on top? */
static bool is_given(lua_State *L, const EpView *v) {
  bool given;
  if (!v->has_options)
    return false;
  lua_pushvalue(L, -1);
  lua_rawget(L, EP_ARG_OPTIONS);
  given = !lua_isnil(L, -1);
  lua_pop(L, 1);
  return given;
}

/* [-0, +0] Makes the value on top, a default's, the caller's own. */
static void own_value(lua_State *L) {
  if (!lua_istable(L, -1))
    return;
  if (lua_isnil(L, EP_VIEW_MEMO)) {
    lua_newtable(L);
    lua_replace(L, EP_VIEW_MEMO);
  }
  ep_copy(L, EP_VIEW_MEMO, EP_SLICE("")); /* what defaults() has copied can be copied */
}

/* Puts the default of a field into a slot, if the call has left it empty. Only data is
 * handed out from a slot, values of variables are read. */
static void fill_default(lua_State *L, EpView *v, int slot, int field) {
  if (!is_empty(L, v, slot))
    return;
  lua_rawgeti(L, EP_VIEW_STATE, field);
  if (slot == EP_DATA)
    own_value(L);
  fill_slot(L, v, slot);
}

/* Appends the default of a field, its name being in the one before, unless the call
 * gives that parameter. */
static void append_default(lua_State *L, EpView *v, const EpName *name, int field) {
  lua_rawgeti(L, EP_VIEW_STATE, field - 1);
  if (!is_given(L, v)) {
    lua_rawgeti(L, EP_VIEW_STATE, field);
    own_value(L);
    ep_pairs_append(L, &v->rest, name->text);
  }
  lua_pop(L, 1);
}

static void read_default_parameters(lua_State *L, EpView *v) {
  for (int i = 0; i < v->e->parameters; i++) {
    const EpName *name = &v->e->names[i];
    const int slot = find_slot(v, name->text);
    const int field = ep_state_parameter(v->e, i) + 1;
    if (slot == NO_SLOT)
      append_default(L, v, name, field);
    else
      fill_default(L, v, slot, field);
  }
}

/* --- options ---------------------------------------------------------------- */

static void check_option(lua_State *L, EpOption option, int type) {
  int index = option_index(option);
  if (lua_type(L, index) == type || ep_is_absent(L, index))
    return;
  lua_pushfstring(L, "\"%s\"", ep_option_names[option]);
  ep_type_error(L, "option", lua_tostring(L, -1), type == LUA_TSTRING ? "a string" : "a table",
                index);
}

static void check_beside_route(lua_State *L, EpOption option) {
  if (!ep_is_absent(L, option_index(option)))
    ep_error(L,
             "endpoint: option \"%s\": the route names it already; a parameter of that name "
             "goes into data or through {?params*}",
             ep_option_names[option]);
}

static void check_options(lua_State *L) {
  check_option(L, EP_METHOD, LUA_TSTRING);
  check_option(L, EP_URL, LUA_TSTRING);
  check_option(L, EP_BASE_URL, LUA_TSTRING);
  check_option(L, EP_HEADERS, LUA_TTABLE);
  check_option(L, EP_MEDIA_TYPE, LUA_TTABLE);
}

static void check_rivals(lua_State *L, bool method) {
  check_beside_route(L, EP_URL);
  if (method)
    check_beside_route(L, EP_METHOD);
}

/* Puts the route in the slots, for merge. */
static void enter_route(lua_State *L, EpView *v) {
  const EpRoute route = ep_read_route(L, EP_ARG_ROUTE);
  check_rivals(L, route.method.bytes != NULL);
  ep_push_slice(L, route.url);
  fill_slot(L, v, EP_URL);
  if (route.method.bytes) {
    ep_push_upper(L, route.method);
    fill_slot(L, v, EP_METHOD);
  }
}

bool ep_view_has(const EpView *v, EpOption option) {
  return ((v->given | v->defaulted) & EP_BIT(option)) != 0;
}

void ep_view_push_option(lua_State *L, const EpView *v, EpOption option) {
  if (ep_is_absent(L, option_index(option)))
    ep_view_push_default(L, v, option);
  else
    lua_pushvalue(L, option_index(option));
}

void ep_view_push_default(lua_State *L, const EpView *v, EpOption option) {
  if ((v->given & EP_BIT(option)) && ep_is_null(L, option_index(option)))
    lua_pushnil(L);
  else if (v->defaulted & EP_BIT(option))
    lua_rawgeti(L, EP_VIEW_STATE, EP_STATE_OPTION + (int)option);
  else
    lua_pushnil(L);
}

void ep_view_push_method(lua_State *L, const EpView *v) {
  ep_view_push_option(L, v, EP_METHOD);
  if (lua_isnil(L, -1))
    lua_pushliteral(L, "GET");
  else
    ep_push_method(L, lua_gettop(L));
  lua_replace(L, -2);
}

/* --- the whole ---------------------------------------------------------------- */

/* Puts the url option in the route's place before the others are read: it says
 * which template they are for. */
static void settle_url(lua_State *L, const EpView *v) {
  if (v->has_options) {
    lua_pushstring(L, ep_option_names[EP_URL]);
    lua_rawget(L, EP_ARG_OPTIONS);
    lua_replace(L, EP_ARG_ROUTE);
  }
  if (lua_isnil(L, EP_ARG_ROUTE) && (v->defaulted & EP_BIT(EP_URL))) {
    lua_rawgeti(L, EP_VIEW_STATE, EP_STATE_OPTION + EP_URL);
    lua_replace(L, EP_ARG_ROUTE);
  }
  if (ep_is_absent(L, EP_ARG_ROUTE))
    ep_error(L, "endpoint: option \"url\" is missing: expected %s",
             v->purpose == EP_FOR_PARSE ? "a url" : "a route or a url");
  if (lua_type(L, EP_ARG_ROUTE) != LUA_TSTRING)
    ep_type_error(L, "option", "\"url\"", "a string", EP_ARG_ROUTE);
}

/* Puts the template in place. */
static void settle_template(lua_State *L, EpView *v) {
  v->c = NULL;
  v->variables = 0;
  if (v->purpose == EP_FOR_MERGE || v->purpose == EP_FOR_DEFAULTS) {
    lua_settop(L, EP_VIEW_TEMPLATE);
    return;
  }
  if (!v->has_route)
    settle_url(L, v);
  v->c = ep_cache_find(L, lua_upvalueindex(EP_UPVALUE_CACHE), v->has_route, EP_ARG_ROUTE);
  v->variables = v->c->t->variable_count;
}

void ep_view_open(lua_State *L, EpView *v, EpPurpose purpose) {
  v->e = (const EpEndpoint *)lua_touserdata(L, EP_VIEW_SELF);
  v->purpose = purpose;
  v->given = 0;
  v->defaulted = purpose == EP_FOR_PARSE ? 0 : v->e->defaulted;
  settle_arguments(L, v);
  settle_template(L, v);
}

void ep_view_read(lua_State *L, EpView *v, EpPurpose purpose) {
  ep_view_open(L, v, purpose);
  make_slots(L, v);
  if (v->has_options)
    read_given(L, v);
  if (v->given)
    check_options(L);
  if (v->has_route && !v->c)
    enter_route(L, v);
  else if (v->has_route && v->given)
    check_rivals(L, v->c->method.bytes != NULL);
  if (purpose != EP_FOR_PARSE)
    read_default_parameters(L, v);
}
