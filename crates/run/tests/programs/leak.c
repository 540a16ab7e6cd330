/* Both writers may find nothing there and put a block of their own; one is lost. */
#include <stdatomic.h>
#include <stdlib.h>
#include <trueline.h>
static _Atomic(long *) slot;
TL_INIT void init(void) { slot = 0; }
TL_OP void fill(void) {
  if (atomic_load(&slot) == 0) atomic_store(&slot, malloc(8));
}
TL_DONE void done(void) { free(slot); }
