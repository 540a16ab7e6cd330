// A block of eight bytes is freed, and its place becomes one of sixteen that another thread reads to its end.
#include <stdatomic.h>
#include <stdlib.h>
#include <trueline.h>

struct pair {
  long first, second;
};

static _Atomic(struct pair *) shared;

TL_INIT void init(void) { shared = NULL; }

TL_OP void put(long value) {
  long *draft = malloc(sizeof *draft);
  *draft = value;
  struct pair *pair;
  long copy = *(volatile long *)draft;
  free(draft);
  pair = malloc(sizeof *pair);
  pair->first = copy;
  pair->second = copy + 1;
  atomic_store(&shared, pair);
}

TL_OP long sum(void) {
  struct pair *pair = atomic_load(&shared);
  return pair ? pair->first + pair->second : 0;
}
