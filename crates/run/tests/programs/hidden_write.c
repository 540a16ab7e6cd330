/* A variable that threads share is also written where no instrumentation sees it. */
#include <stdatomic.h>
#include <trueline.h>

static _Atomic long x;

__attribute__((no_sanitize("thread"), noinline)) static void hide(void) { *(volatile long *)&x += 10; }

TL_INIT void init(void) { x = 0; }

TL_OP long bump(void) {
  atomic_fetch_add(&x, 1);
  hide();
  return atomic_load(&x);
}
