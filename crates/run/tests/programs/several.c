/* Several errors, each in an operation of its own. */
#include <assert.h>
#include <stdatomic.h>
#include <trueline.h>
static _Atomic int x, y, z;
static int *volatile nowhere;
TL_INIT void init(void) { x = y = z = 0; }
TL_OP int lost(void) { int old = atomic_load(&x); atomic_store(&x, old + 1); return old; }
TL_OP void asserts(void) { int old = atomic_load(&y); atomic_store(&y, old + 1); assert(atomic_load(&y) == old + 1); }
TL_OP void crashes(void) { if (atomic_fetch_add(&z, 1) == 1) *nowhere = 1; }
