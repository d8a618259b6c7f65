/* SPDX-License-Identifier: MIT */
/* For programs that link the module in. From Lua 5.2 on:
 *
 *     luaL_requiref(L, "endpoint", luaopen_endpoint, 0);
 *     luaL_requiref(L, "endpoint.result", luaopen_endpoint_result, 0); // for endpoint.clients
 *     lua_pop(L, 2);
 *
 * docs/embedding.md and examples/cmake/program.c show more, for every Lua. */
#ifndef ENDPOINT_H
#define ENDPOINT_H

/* The only place of the version. */
#define ENDPOINT_VERSION "1.0.0"

/* Its two functions are exported, unless -DENDPOINT_API= says otherwise. */
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

/* [-n, +1] Pushes the module. `require` and luaL_requiref call it. */
ENDPOINT_API int luaopen_endpoint(struct lua_State *L);

/* [-0, +1] Pushes what endpoint.clients is made of, the module "endpoint.result". `require` finds
 * it in the shared object of the module; a program that links the sources in and uses
 * endpoint.clients gives it that name. */
ENDPOINT_API int luaopen_endpoint_result(struct lua_State *L);

#ifdef __cplusplus
}
#endif

#endif
