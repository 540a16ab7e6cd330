/* A ring buffer for one producer and one consumer, after Lamport (TOPLAS 1983). With two producers it loses values. */
#include <stdatomic.h>
#include <trueline.h>

static const unsigned size = 4;
static _Atomic unsigned head, tail;
static _Atomic long items[4];

TL_INIT void init(void) { head = tail = 0; }

TL_OP bool enq(long value) {
  unsigned at = atomic_load(&tail);
  if (at - atomic_load(&head) == size) return false;
  atomic_store(&items[at % size], value);
  atomic_store(&tail, at + 1);
  return true;
}

TL_OP bool deq(long *value) {
  unsigned at = atomic_load(&head);
  if (at == atomic_load(&tail)) return false;
  *value = atomic_load(&items[at % size]);
  atomic_store(&head, at + 1);
  return true;
}
