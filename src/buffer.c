/* SPDX-License-Identifier: MIT */
#include "buffer.h"

#include "errors.h"

void ep_buffer_grow(lua_State *L, EpBuffer *b, size_t size) {
  size_t wanted = b->size + size, doubled = b->capacity * 2;
  /* GCOVR_EXCL_START: no test can have a text of half the address space */
  if (wanted < size || size == (size_t)-1 || doubled < b->capacity)
    ep_error(L, "endpoint: the result is too long");
  /* GCOVR_EXCL_STOP */
  if (wanted < doubled)
    wanted = doubled;
  char *bytes = (char *)ep_newuserdata(L, wanted);
  memcpy(bytes, b->bytes, b->size);
  lua_replace(L, b->slot);
  b->bytes = bytes;
  b->capacity = wanted;
}

void ep_buffer_insert(lua_State *L, EpBuffer *b, size_t at, char byte) {
  char *room = ep_buffer_reserve(L, b, 1);
  char *place = b->bytes + at;
  memmove(place + 1, place, (size_t)(room - place));
  *place = byte;
  b->size++;
}

void ep_buffer_remove(EpBuffer *b, size_t at) {
  b->size--;
  memmove(b->bytes + at, b->bytes + at + 1, b->size - at);
}
