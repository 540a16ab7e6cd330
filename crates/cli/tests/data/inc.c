/* A counter, in one step or in two. */
#include <stdatomic.h>
#include <trueline.h>

static atomic_long count;

TL_INIT void init(void) { count = 0; }

TL_OP long inc(void) {
#if ATOMIC
  return atomic_fetch_add(&count, 1) + 1;
#else
  long old = atomic_load(&count);
  atomic_store(&count, old + 1);
  return old + 1;
#endif
}
