/* A letter and a flag that says that it is there; -DFLAG is the memory order in which the flag is set. */
#include <stdatomic.h>
#include <trueline.h>

static _Atomic long letter;
static _Atomic int full;

TL_INIT void init(void) {
  atomic_init(&letter, 0);
  atomic_init(&full, 0);
}

TL_OP int put(long value) {
  atomic_store_explicit(&letter, value, memory_order_relaxed);
  atomic_store_explicit(&full, 1, FLAG);
  return 1;
}

TL_OP long get(void) {
  if (!atomic_load_explicit(&full, memory_order_acquire)) return -1;
  return atomic_load_explicit(&letter, memory_order_relaxed);
}
