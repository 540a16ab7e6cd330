/* ck_ring of Concurrency Kit for several producers and consumers (Debian package libck-dev). It has room for one value
 * less than its size. Build it with the compiler's builtins, -DCK_USE_CC_BUILTINS=1. */
#include <ck_ring.h>
#include <stdlib.h>
#include <trueline.h>

static ck_ring_t *ring;
static ck_ring_buffer_t *buffer;

TL_INIT void init(void) {
  ring = malloc(sizeof(ck_ring_t));
  buffer = calloc(4, sizeof(ck_ring_buffer_t));
  ck_ring_init(ring, 4);
}

TL_OP bool enq(long value) { return ck_ring_enqueue_mpmc(ring, buffer, (void *)value); }

TL_OP bool deq(long *value) {
  void *found;
  if (!ck_ring_dequeue_mpmc(ring, buffer, &found)) return false;
  *value = (long)found;
  return true;
}
