/* Heapsort and binary search. */
#include "names.h"

#include <stdbool.h>

/* The first eight bytes as a number, filled up with zeros. Most names differ in it. */
static uint64_t start_of(EpSlice text) {
  uint64_t start = 0;
  for (size_t i = 0; i < sizeof start; i++)
    start = start << 8 | (i < text.size ? (unsigned char)text.bytes[i] : 0U);
  return start;
}

static bool is_before(const EpName *a, const EpName *b) {
  int order;
  if (a->start != b->start)
    return a->start < b->start;
  order = ep_slice_compare(a->text, b->text);
  return order < 0 || (order == 0 && a->index < b->index);
}

/* Moves the name at `at` down until it sorts behind both of its children. Most names go to
 * the bottom again: this one is moved there and then up, which takes fewer comparisons. */
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

void ep_names_sort(EpName *names, int count) {
  for (int i = 0; i < count && count > 1; i++)
    names[i].start = start_of(names[i].text);
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
    int middle = first + (end - first) / 2, order = ep_slice_compare(sorted[middle].text, name);
    if (order == 0)
      return middle;
    if (order < 0)
      first = middle + 1;
    else
      end = middle;
  }
  return -1;
}
