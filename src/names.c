/* Names in order. */
#include "names.h"

#include <stdbool.h>
#include <string.h>

enum { FEW_NAMES = 8 }; /* to sort fewer names takes fewer steps without numbers */

/* The first eight bytes as a number, zeros in place of those that are lacking. Most names
 * differ in it, and to compare numbers takes one step. */
static uint64_t start_of(EpSlice text) {
  uint64_t start = 0;
  for (size_t i = 0; i < sizeof start; i++)
    start = start << 8 | (i < text.size ? (unsigned char)text.bytes[i] : 0U);
  return start;
}

/* Below 0, 0 or above as one text stands before, at or behind the other. */
static int compare(EpSlice a, EpSlice b) {
  size_t shared = a.size < b.size ? a.size : b.size;
  int order = shared > 0 ? (unsigned char)a.bytes[0] - (unsigned char)b.bytes[0] : 0;
  if (order == 0)
    order = memcmp(a.bytes, b.bytes, shared);
  if (order == 0)
    order = (a.size > b.size) - (a.size < b.size);
  return order;
}

static bool is_before(const EpName *a, const EpName *b) {
  int order;
  if (a->start != b->start)
    return a->start < b->start;
  order = compare(a->text, b->text);
  return order < 0 || (order == 0 && a->index < b->index);
}

/* Lets the name at `at` sink until both of its children stand before it. It mostly comes
 * from the bottom and goes back there, so it is compared on the way up. */
static void sift_down(EpName *names, int at, int count) {
  const EpName moving = names[at];
  const int top = at;
  for (int child; (child = 2 * at + 1) < count; at = child) {
    if (child + 1 < count && is_before(&names[child], &names[child + 1]))
      child++;
    names[at] = names[child];
  }
  for (int parent; at > top && is_before(&names[parent = (at - 1) / 2], &moving); at = parent)
    names[at] = names[parent];
  names[at] = moving;
}

/* Heapsort: n log n steps on any input, and in place. */
void ep_names_sort(EpName *names, int count) {
  for (int i = 0; i < count; i++)
    names[i].start = count < FEW_NAMES ? 0 : start_of(names[i].text);
  for (int i = count / 2 - 1; i >= 0; i--)
    sift_down(names, i, count);
  for (int last = count - 1; last > 0; last--) {
    EpName greatest = names[0];
    names[0] = names[last];
    names[last] = greatest;
    sift_down(names, 0, last);
  }
}

int ep_names_find(const EpName *sorted, int count, EpSlice name) {
  int first = 0, end = count;
  while (first < end) {
    int middle = first + (end - first) / 2, order = compare(sorted[middle].text, name);
    if (order == 0)
      return middle;
    if (order < 0)
      first = middle + 1;
    else
      end = middle;
  }
  return -1;
}
