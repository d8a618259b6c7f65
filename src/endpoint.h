/* SPDX-License-Identifier: MIT */
/* For programs that link the module into themselves. From Lua 5.2 on:
 *
 *     luaL_requiref(L, "endpoint", luaopen_endpoint, 0);
 *     luaL_requiref(L, "endpoint.result", luaopen_endpoint_result, 0); // for endpoint.clients
 *     lua_pop(L, 2);
 *
 * docs/embedding.md and examples/cmake/program.c show more, for every Lua. "[-n, +1]" means that a
 * function pops n values and pushes one, as in Lua's manual. */
#ifndef ENDPOINT_H
#define ENDPOINT_H

/* The version is written only here. */
#define ENDPOINT_VERSION "1.0.0"

/* The two functions are exported, unless -DENDPOINT_API= says otherwise. */
#if defined(ENDPOINT_API)
#elif defined(_WIN32) || defined(__CYGWIN__)
#define ENDPOINT_API __declspec(dllexport)
#elif defined(__GNUC__)
#define ENDPOINT_API __attribute__((visibility("default")))
#else
#define ENDPOINT_API
#endif

struct lua_State;

#ifdef __cplusplus
extern "C" {
#endif

/* [-n, +1] Pushes the module "endpoint", and removes all n values that are on the stack, such as
 * the arguments of `require`. It is a lua_CFunction, so let `require`, luaL_requiref or lua_call
 * call it. L is the state that loads the module. Raises a string if L is of another Lua version
 * than the headers with which the module was compiled, if L's stack has no room, and if the
 * built-in baseUrl (-DENDPOINT_BASE_URL) is malformed. Raises Lua's own error if there is no
 * memory. */
ENDPOINT_API int luaopen_endpoint(struct lua_State *L);

/* [-0, +1] Pushes the module "endpoint.result", which endpoint.clients needs. It is a
 * lua_CFunction, too. `require` finds it in the module's shared object. A program that links the
 * sources in and uses endpoint.clients must register it under that name, as above. Raises a string
 * if L is of another Lua version than the headers, and Lua's own error if there is no memory. */
ENDPOINT_API int luaopen_endpoint_result(struct lua_State *L);

#ifdef __cplusplus
}
#endif

#endif
