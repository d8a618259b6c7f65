/* Names in order. */
#include "names.h"

#include <stdbool.h>
#include <string.h>

/* Below 0, 0 or above as the name stands before, at or behind the text. Most differ
 * in their first byte. */
static int compare(const EpName *name, const char *text, size_t size) {
  size_t shared = name->size < size ? name->size : size;
  int order = shared > 0 ? (unsigned char)name->text[0] - (unsigned char)text[0] : 0;
  if (order == 0)
    order = memcmp(name->text, text, shared);
  if (order == 0)
    order = (name->size > size) - (name->size < size);
  return order;
}

static bool is_before(const EpName *a, const EpName *b) {
  int order = compare(a, b->text, b->size);
  return order < 0 || (order == 0 && a->index < b->index);
}

/* Lets the name at `at` sink until both of its children stand before it. */
static void sift_down(EpName *names, int at, int count) {
  EpName moving = names[at];
  for (int child; (child = 2 * at + 1) < count; at = child) {
    if (child + 1 < count && is_before(&names[child], &names[child + 1]))
      child++;
    if (!is_before(&moving, &names[child]))
      break;
    names[at] = names[child];
  }
  names[at] = moving;
}

/* Heapsort: n log n steps on any input, and in place. */
void ep_names_sort(EpName *names, int count) {
  for (int i = count / 2 - 1; i >= 0; i--)
    sift_down(names, i, count);
  for (int last = count - 1; last > 0; last--) {
    EpName greatest = names[0];
    names[0] = names[last];
    names[last] = greatest;
    sift_down(names, 0, last);
  }
}

int ep_names_find(const EpName *sorted, int count, const char *text, size_t size) {
  int first = 0, end = count;
  while (first < end) {
    int middle = first + (end - first) / 2, order = compare(&sorted[middle], text, size);
    if (order == 0)
      return middle;
    if (order < 0)
      first = middle + 1;
    else
      end = middle;
  }
  return -1;
}
