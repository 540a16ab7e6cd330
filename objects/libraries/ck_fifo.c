/* ck_fifo of Concurrency Kit for one producer and one consumer (Debian package libck-dev): scenarios have one thread that
 * puts in and one that takes out. Build it with the compiler's builtins, -DCK_USE_CC_BUILTINS=1. */
#include <ck_fifo.h>
#include <stdlib.h>
#include <trueline.h>

static ck_fifo_spsc_t *queue;

TL_SPEC("queue");
TL_INIT void init(void) {
  queue = malloc(sizeof(ck_fifo_spsc_t));
  ck_fifo_spsc_init(queue, malloc(sizeof(ck_fifo_spsc_entry_t)));
}

TL_OP void enq(long value) {
  ck_fifo_spsc_entry_t *entry = ck_fifo_spsc_recycle(queue);
  if (entry == NULL) entry = malloc(sizeof(ck_fifo_spsc_entry_t));
  ck_fifo_spsc_enqueue(queue, entry, (void *)value);
}

TL_OP bool deq(long *value) {
  void *found;
  if (!ck_fifo_spsc_dequeue(queue, &found)) return false;
  *value = (long)found;
  return true;
}
