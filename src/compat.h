/* SPDX-License-Identifier: MIT */
/* The differences between the Lua versions, all of them. */
#ifndef EP_COMPAT_H
#define EP_COMPAT_H

#include <lauxlib.h>
#include <lua.h>

/* Raises in another Lua than that of the headers, whose functions differ. Lua 5.1 and LuaJIT, which
 * take each other's modules, do not have luaL_checkversion. Modules of later versions do not load
 * in them, nor theirs in later versions, since functions are missing there. */
#if LUA_VERSION_NUM >= 502
#define ep_checkversion(L) luaL_checkversion(L)
#else
#define ep_checkversion(L) ((void)(L))
#endif

/* The one table of a userdata: a user value from 5.2 on, the environment before.
 * ep_setuservalue pops it. */
#if LUA_VERSION_NUM >= 502
#define ep_getuservalue(L, index) ((void)lua_getuservalue(L, index))
#define ep_setuservalue(L, index) ((void)lua_setuservalue(L, index))
#define ep_rawlen(L, index)       ((size_t)lua_rawlen(L, index))
#else
#define ep_getuservalue(L, index) lua_getfenv(L, index)
#define ep_setuservalue(L, index) ((void)lua_setfenv(L, index))
#define ep_rawlen(L, index)       lua_objlen(L, index)
#endif

/* A userdata without a user value or an environment of its own. */
#if LUA_VERSION_NUM >= 504
#define ep_newuserdata(L, size) lua_newuserdatauv(L, size, 0)
#else
#define ep_newuserdata(L, size) lua_newuserdata(L, size)
#endif

/* Integers are a subtype of numbers from 5.3 on. */
#if LUA_VERSION_NUM >= 503
#define ep_isinteger(L, index) lua_isinteger(L, index)
#else
#define ep_isinteger(L, index) ((void)(L), (void)(index), 0)
#endif

/* luaL_error and luaL_checkstack. When there is no memory for the message, those of
 * Lua 5.5 raise what lies below it on the stack, which may be a header's value. */
#if LUA_VERSION_NUM >= 505
#define ep_error(L, ...)                                                                           \
  (lua_pushfstring(L, __VA_ARGS__), luaL_where(L, 1), lua_insert(L, -2), lua_concat(L, 2),         \
   lua_error(L))
#define ep_checkstack(L, size, message)                                                            \
  ((void)(lua_checkstack(L, size) || ep_error(L, "stack overflow (%s)", message)))
#else
#define ep_error      luaL_error
#define ep_checkstack luaL_checkstack
#endif

#endif
