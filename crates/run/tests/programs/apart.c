// Two threads write the same variable, each only when it is told to: whoever looks at executions in which one of them is
// does not see that the variable is shared.
#include <stdatomic.h>
#include <trueline.h>

// In memory of their own: a write to one of them is none to the other.
static _Alignas(8) _Atomic int left_may;
static _Alignas(8) _Atomic int right_may;
static long count;

TL_INIT void init(void) {
  left_may = 0;
  right_may = 0;
  count = 0;
}

TL_OP void left(void) {
  if (atomic_load(&left_may)) count++;
}

TL_OP void right(void) {
  if (atomic_load(&right_may)) count = 7;
}

TL_OP void start(void) {
  atomic_store(&left_may, 1);
  atomic_store(&right_may, 1);
}
