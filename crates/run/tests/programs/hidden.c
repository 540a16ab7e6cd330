// What a thread does depends on a variable that no instrumentation sees.
#include <stdatomic.h>
#include <trueline.h>

static _Atomic long x;
static long asked;

__attribute__((no_sanitize("thread"), noinline)) static long number(void) { return ++asked; }

TL_INIT void init(void) { x = 0; }

TL_OP long ask(void) {
  atomic_load(&x);
  if (number() == 2) atomic_fetch_add(&x, 10);
  return atomic_fetch_add(&x, 1);
}
