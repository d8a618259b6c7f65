/* SPDX-License-Identifier: MIT */
/* All differences between the Lua versions. */
#ifndef EP_COMPAT_H
#define EP_COMPAT_H

#include <lauxlib.h>
#include <lua.h>

/* Raises if the running Lua is not the Lua of the headers, since its functions differ. Lua 5.1 and
 * LuaJIT do not have luaL_checkversion; each can load modules that were compiled for the other. A
 * module for a later version does not load in them, and theirs do not load in later versions, since
 * functions are missing there. */
#if LUA_VERSION_NUM >= 502
#define ep_checkversion(L) luaL_checkversion(L)
#else
#define ep_checkversion(L) ((void)(L))
#endif

/* The table that a userdata keeps: its user value from 5.2 on, and its environment before.
 * ep_setuservalue pops the table. */
#if LUA_VERSION_NUM >= 502
#define ep_getuservalue(L, index) ((void)lua_getuservalue(L, index))
#define ep_setuservalue(L, index) ((void)lua_setuservalue(L, index))
#define ep_rawlen(L, index)       ((size_t)lua_rawlen(L, index))
#else
#define ep_getuservalue(L, index) lua_getfenv(L, index)
#define ep_setuservalue(L, index) ((void)lua_setfenv(L, index))
#define ep_rawlen(L, index)       lua_objlen(L, index)
#endif

/* Pushes a new userdata without a user value or an environment of its own. */
#if LUA_VERSION_NUM >= 504
#define ep_newuserdata(L, size) lua_newuserdatauv(L, size, 0)
#else
#define ep_newuserdata(L, size) lua_newuserdata(L, size)
#endif

/* Is the value an integer? Integers are a subtype of numbers from 5.3 on. */
#if LUA_VERSION_NUM >= 503
#define ep_isinteger(L, index) lua_isinteger(L, index)
#else
#define ep_isinteger(L, index) ((void)(L), (void)(index), 0)
#endif

#endif
