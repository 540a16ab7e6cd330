#include <assert.h>
#include <stdatomic.h>
#include <trueline.h>
static _Atomic int inside;
TL_INIT void init(void) { inside = 0; }
TL_OP void visit(void) {
  atomic_fetch_add(&inside, 1);
  assert(atomic_load(&inside) == 1);
  atomic_fetch_sub(&inside, 1);
}
