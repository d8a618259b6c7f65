/* SPDX-License-Identifier: MIT */
/* The options and their names. Knows nothing of Lua. */
#ifndef EP_OPTION_H
#define EP_OPTION_H

#include "slice.h"

/* The options in the order of their slots. */
typedef enum {
  EP_METHOD,
  EP_URL,
  EP_BASE_URL,
  EP_HEADERS,
  EP_MEDIA_TYPE,
  EP_DATA,
  EP_REQUEST,
  EP_OPTION_COUNT
} EpOption;

/* A set of options: the bits of those in it. */
#define EP_BIT(option) (1u << (option))

extern EP_HIDDEN const char *const ep_option_names[EP_OPTION_COUNT];

/* The option of that name; EP_OPTION_COUNT if there is none. */
EP_INTERNAL EpOption ep_option_find(EpSlice name);

/* Is the key the option's name but for case, "-" and "_"? */
EP_INTERNAL bool ep_option_resembles(EpOption option, EpSlice key);

#endif
