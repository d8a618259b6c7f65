#include "buffer.h"

void ep_buffer_grow(lua_State *L, EpBuffer *b, size_t size) {
  size_t wanted = b->size + size, doubled = b->capacity * 2;
  char *bytes;
  /* GCOVR_EXCL_START: a text of half the address space, which is too much to try */
  if (wanted < size || size == (size_t)-1 || doubled < b->capacity)
    ep_error(L, "endpoint: text is too long");
  /* GCOVR_EXCL_STOP */
  if (wanted < doubled)
    wanted = doubled;
  bytes = (char *)ep_newuserdata(L, wanted);
  memcpy(bytes, b->bytes, b->size);
  lua_replace(L, b->slot);
  b->bytes = bytes;
  b->capacity = wanted;
}

void ep_buffer_cut(lua_State *L, EpBuffer *b, size_t at) {
  lua_pushlstring(L, b->bytes + at, b->size - at);
  b->size = at;
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

void ep_buffer_push(lua_State *L, const EpBuffer *b) {
  lua_pushlstring(L, b->bytes, b->size);
}

/* [-0, +1] Pushes the text with each byte converted. */
static inline void push_case(lua_State *L, EpSlice text, char (*convert)(char)) {
  char few[64] = {0}, *to = few;
  if (text.size > sizeof few)
    to = (char *)ep_newuserdata(L, text.size);
  for (size_t i = 0; i < text.size; i++)
    to[i] = convert(text.bytes[i]);
  lua_pushlstring(L, to, text.size);
  if (to != few)
    lua_remove(L, -2);
}

void ep_push_lower(lua_State *L, EpSlice text) {
  push_case(L, text, ep_lower_byte);
}

void ep_push_upper(lua_State *L, EpSlice text) {
  push_case(L, text, ep_upper_byte);
}
