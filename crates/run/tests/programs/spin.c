/* Each waits until the other is gone: both wait for ever once both have come. */
#include <stdatomic.h>
#include <trueline.h>
static _Atomic int here[2];
TL_INIT void init(void) { here[0] = here[1] = 0; }
static void visit(int me) {
  atomic_store(&here[me], 1);
  while (atomic_load(&here[1 - me])) { }
  atomic_store(&here[me], 0);
}
TL_OP void left(void) { visit(0); }
TL_OP void right(void) { visit(1); }
