// Programs with their own main that leave blocks; WHAT says how.
#include <atomic>
#include <cstdlib>
#include <thread>
#include <trueline.h>
#include <vector>

static std::atomic<long *> slot;
static std::vector<long> *all = new std::vector<long>;
static std::atomic<unsigned long> packed;
static thread_local struct Owner {
  long *block = nullptr;
  ~Owner() { delete block; }
} owner;
static pthread_key_t key;

static void put(long value) {
  long *mine = new long(value), *none = nullptr;
#if WHAT == 1
  slot.compare_exchange_strong(none, mine); // who comes second leaves its block
#elif WHAT == 2
  if (!slot.compare_exchange_strong(none, mine)) delete mine;
#elif WHAT == 3
  owner.block = mine;
#elif WHAT == 4
  pthread_setspecific(key, mine);
#elif WHAT == 5
  // An address and a version in one word.
  unsigned long empty = 0;
  if (!packed.compare_exchange_strong(empty, reinterpret_cast<unsigned long>(mine) | 7UL << 48)) delete mine;
#else
  delete mine;
#endif
}

int main() {
  pthread_key_create(&key, [](void *block) { delete static_cast<long *>(block); });
#if WHAT == 6
  long *on_stack = new long(1);
  if (*on_stack == 1) exit(0);
#endif
  all->push_back(1);
  std::thread one(put, 1), two(put, 2);
  one.join();
  two.join();
}
