/* SPDX-License-Identifier: MIT */
#include "option.h"

#include "bytes.h"

const char *const ep_option_names[EP_OPTION_COUNT] = {"method",    "url",  "baseUrl", "headers",
                                                      "mediaType", "data", "request"};

/* The only option whose name has that size and first letter, or none. */
static EpOption candidate(char first, size_t size) {
  switch (first) {
  case 'b':
    return size == 7 ? EP_BASE_URL : EP_OPTION_COUNT;
  case 'd':
    return size == 4 ? EP_DATA : EP_OPTION_COUNT;
  case 'h':
    return size == 7 ? EP_HEADERS : EP_OPTION_COUNT;
  case 'm':
    return size == 6 ? EP_METHOD : size == 9 ? EP_MEDIA_TYPE : EP_OPTION_COUNT;
  case 'r':
    return size == 7 ? EP_REQUEST : EP_OPTION_COUNT;
  case 'u':
    return size == 3 ? EP_URL : EP_OPTION_COUNT;
  default:
    return EP_OPTION_COUNT;
  }
}

EpOption ep_option_find(EpSlice name) {
  EpOption option = name.size > 0 ? candidate(name.bytes[0], name.size) : EP_OPTION_COUNT;
  if (option != EP_OPTION_COUNT && memcmp(ep_option_names[option], name.bytes, name.size) != 0)
    option = EP_OPTION_COUNT;
  return option;
}

bool ep_option_resembles(EpOption option, EpSlice key) {
  const char *name = ep_option_names[option];
  for (size_t i = 0; i < key.size; i++) {
    if (key.bytes[i] == '-' || key.bytes[i] == '_')
      continue;
    if (!*name || ep_lower_byte(key.bytes[i]) != ep_lower_byte(*name))
      return false;
    name++;
  }
  return !*name;
}
