// The class IQueue of Herlihy and Shavit, "The Art of Multiprocessor Programming": an exercise that is not linearizable.
// A slot is reserved before it is filled, and deq takes an unfilled slot for the end of the queue.
#include <atomic>
#include <trueline.h>

static std::atomic<long> head, tail, items[16];

TL_SPEC("queue");
TL_INIT void init() { head = tail = 0; }

TL_OP void enq(long value) {
  long slot;
  do {
    slot = tail.load();
  } while (!tail.compare_exchange_strong(slot, slot + 1));
  items[slot] = value;
}

TL_OP bool deq(long &value) {
  long slot;
  do {
    slot = head.load();
    value = items[slot].load();
    if (value == 0) return false;
  } while (!head.compare_exchange_strong(slot, slot + 1));
  return true;
}
