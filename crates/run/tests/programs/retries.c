/* Retry loops whose iterations look as if they changed nothing; -DWHAT=n says which. Only 0 may be left out. */
#include <stdatomic.h>
#include <stdlib.h>
#include <trueline.h>

static _Atomic long word;
static long own;

TL_INIT void init(void) { atomic_store(&word, 0); }

TL_OP long add(void) {
  long value, extra = 0;
#if WHAT == 4
  long *tries = malloc(sizeof *tries);
  *tries = 0;
#elif WHAT == 5
  static _Thread_local long here;
  here = 0;
#endif
  for (;;) {
    value = atomic_load(&word);
    if (atomic_compare_exchange_strong(&word, &value, value + 1)) break;
#if WHAT == 1
    extra++; /* a counter of retries */
#elif WHAT == 2
    extra = value; /* a value carried over */
#elif WHAT == 3
    extra = extra * 2 + 1; /* a back-off that ends */
    if (extra > 2) break;
#elif WHAT == 4
    extra = ++*tries; /* a counter in memory of its own */
#elif WHAT == 5
    extra = ++here; /* in thread-local storage */
#elif WHAT == 6
    extra = rand() % 1000; /* from its surroundings */
#endif
  }
  return value * 1000 + extra;
}
