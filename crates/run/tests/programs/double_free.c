/* Both may take the block before either clears the slot. */
#include <stdatomic.h>
#include <stdlib.h>
#include <trueline.h>
static _Atomic(long *) slot;
TL_INIT void init(void) { slot = malloc(8); }
TL_OP void clear(void) {
  long *block = atomic_load(&slot);
  atomic_store(&slot, 0);
  free(block);
}
