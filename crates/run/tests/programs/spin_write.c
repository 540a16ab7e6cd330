/* A lock whose every try writes: under C11 no write is as good as none, so that there are executions without end. */
#include <stdatomic.h>
#include <trueline.h>

static atomic_flag held = ATOMIC_FLAG_INIT;
static long count;

TL_INIT void init(void) { count = 0; }

TL_OP long inc(void) {
  while (atomic_flag_test_and_set_explicit(&held, memory_order_acquire)) {
  }
  long now = ++count;
  atomic_flag_clear_explicit(&held, memory_order_release);
  return now;
}
