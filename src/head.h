/* SPDX-License-Identifier: MIT */
/* Heads of responses of HTTP/1.1 (RFC 9112), for endpoint.request. */
#ifndef EP_HEAD_H
#define EP_HEAD_H

#include "compat.h"
#include "core/slice.h"

/* head(buffer, at, room) reads the head that begins at a byte of the string `buffer`, if it is
 * plain and has at most `room` bytes. It returns
 * - the status, a number
 * - the headers: a table of strings by their names in lower case; that of set-cookie is a list
 * - the digit after "HTTP/1.", a string
 * - the byte after the head
 * and nothing for any other head, one that is not whole yet, too. What a head may be is said by
 * endpoint/request/clients/http1/reader.lua alone: a plain head is one whose reading it would not
 * dispute. Raises nothing but an error of memory. */
EP_INTERNAL int ep_head_read(lua_State *L);

#endif
