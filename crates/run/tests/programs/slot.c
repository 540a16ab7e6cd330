/* A queue with one place, all of it atomic; -DPUT and -DTAKE are the memory orders of the exchange of its value. */
#include <stdatomic.h>
#include <stdbool.h>
#include <trueline.h>

static _Atomic long slot;

TL_SPEC("bag");
TL_INIT void init(void) { atomic_init(&slot, 0); }

TL_OP void put(long value) {
  long empty = 0;
  while (!atomic_compare_exchange_strong_explicit(&slot, &empty, value, PUT, memory_order_relaxed)) empty = 0;
}

TL_OP bool take(long *value) {
  *value = atomic_exchange_explicit(&slot, 0, TAKE);
  return *value != 0;
}
