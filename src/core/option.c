/* SPDX-License-Identifier: MIT */
#include "option.h"

#include "bytes.h"

const char *const ep_option_names[EP_OPTION_COUNT] = {"method",    "url",  "baseUrl", "headers",
                                                      "mediaType", "data", "request"};

/* The only option whose name has that size and first letter, or none. */
static EpOption candidate(EpSlice name) {
  switch (name.size) {
  case 3:
    return EP_URL;
  case 4:
    return EP_DATA;
  case 6:
    return EP_METHOD;
  case 7:
    return *name.bytes == 'b' ? EP_BASE_URL : *name.bytes == 'h' ? EP_HEADERS : EP_REQUEST;
  default:
    return name.size == 9 ? EP_MEDIA_TYPE : EP_OPTION_COUNT;
  }
}

EpOption ep_option_find(EpSlice name) {
  const EpOption option = candidate(name);
  if (option < EP_OPTION_COUNT &&
      ep_slice_equals(name, ep_slice(ep_option_names[option], name.size)))
    return option;
  return EP_OPTION_COUNT;
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
