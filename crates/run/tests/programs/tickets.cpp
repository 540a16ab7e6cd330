// Threads take two tickets at once and keep the second for themselves: what a call answers depends on who calls. WHAT says where
// they keep it. -DLOSES takes tickets in two steps, -DLEAKS forgets a block.
#include <atomic>
#include <pthread.h>
#include <trueline.h>
#include <vector>

static std::atomic<long> next_ticket;
static pthread_key_t key;
static thread_local long kept;
static thread_local std::vector<long> mine;

TL_INIT void init() {
  next_ticket = 1;
  pthread_key_create(&key, nullptr);
}

TL_DONE void done() {}

static long exchange_kept(long value) {
#if WHAT == 1
  long before = kept;
  kept = value;
#else
  long before = reinterpret_cast<long>(pthread_getspecific(key));
  pthread_setspecific(key, reinterpret_cast<void *>(value));
#endif
  return before;
}

TL_OP long take() {
  mine.push_back(1);
#ifdef LEAKS
  *static_cast<volatile long *>(new long) = 1;
#endif
  if (long mine = exchange_kept(0)) return mine;
#ifdef LOSES
  long first = next_ticket;
  next_ticket = first + 2;
#else
  long first = next_ticket.fetch_add(2);
#endif
  exchange_kept(first + 1);
  return first;
}
