// The queue of Herlihy and Wing (TOPLAS 1990): deq waits until there is something.
#include <atomic>
#include <trueline.h>

static std::atomic<long> back, items[16];

TL_SPEC("queue");
TL_INIT void init() { back = 0; }

TL_OP void enq(long value) {
  long slot = back.fetch_add(1);
  items[slot].store(value);
}

TL_OP long deq() {
  for (;;) {
    long range = back.load();
    for (long i = 0; i < range; i++) {
      long value = items[i].exchange(0);
      if (value != 0) return value;
    }
  }
}
