/* A counter whose update can be lost, with much besides that makes its executions many. */
#include <stdatomic.h>
#include <trueline.h>
static _Atomic long count, noise[4];
TL_INIT void init(void) { count = 0; }
TL_OP long inc(void) {
  for (int i = 0; i < 4; i++) atomic_store(&noise[i], atomic_load(&noise[i]) * 2 + 1);
  long old = atomic_load(&count);
  atomic_store(&count, old + 1);
  return old;
}
