// A counter with an atomic load and an atomic store: no data race, but an update is lost.
#include <atomic>
#include <trueline.h>
static std::atomic<long> count;
TL_INIT void init() { count = 0; }
TL_OP long inc() {
  long old = count.load();
  count.store(old + 1);
  return old + 1;
}
