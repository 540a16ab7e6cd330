// Programs that go wrong when the player forgets something; -DTRAP=n says which.
#include <atomic>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <pthread.h>
#include <thread>
#include <trueline.h>

#if TRAP == 1
// A counter in two parts: what `get` answers depends on who returned before whom was called.
static std::atomic<long> parts[2];
TL_INIT void init() { parts[0] = parts[1] = 0; }
TL_OP void first() { parts[0].fetch_add(1); }
TL_OP void second() { parts[1].fetch_add(1); }
TL_OP long get() { long a = parts[0]; return a * 10 + parts[1]; }

#elif TRAP == 2
// An increment that is a read and a write.
static long count;
TL_INIT void init() { count = 0; }
TL_OP void inc() { count++; }
TL_OP long get() { return count; }

#elif TRAP == 3
static std::atomic<long> count;
TL_INIT void init() { count = 0; }
TL_OP long inc() { long old = count; count = old + 1; return old; }

#elif TRAP == 4
// A variable of its own for every thread, in every execution anew.
static std::atomic<long> turn;
static thread_local long mine;
TL_INIT void init() { turn = 0; }
TL_OP long mark() { long before = mine++; turn.fetch_add(1); return before * 10 + mine; }

#elif TRAP == 5
// Two exceptions in flight at once.
static std::atomic<long> turn;
TL_INIT void init() { turn = 0; }
TL_OP long first() {
  try { throw 1L; } catch (long) { turn.fetch_add(1); try { throw; } catch (long again) { return again; } }
}
TL_OP long second() {
  try { throw 2L; } catch (long) { turn.fetch_add(1); try { throw; } catch (long again) { return again; } }
}

#elif TRAP == 6
static std::shared_ptr<long> *shared;
TL_INIT void init() { shared = new std::shared_ptr<long>(new long(7)); }
TL_DONE void done() { delete shared; }
TL_OP long use() { std::shared_ptr<long> copy = *shared; return *copy; }

#elif TRAP == 7
// Globals that a run changes, with values from the program's file and without.
static std::atomic<long> filled{5}, empty;
TL_OP long next() { return filled.fetch_add(1) * 100 + empty.fetch_add(1); }

#elif TRAP == 8
// A block of a static constructor.
static std::atomic<long> *block = new std::atomic<long>(5);
TL_OP long next() { return block->fetch_add(1); }

#elif TRAP == 9
// Where blocks are depends on the thread alone.
static std::atomic<long *> slot;
static std::atomic<long> left, right;
TL_INIT void init() { slot = nullptr; left = right = 0; }
TL_OP void put_left() { left.load(); slot.store(new long(1)); }
TL_OP void put_right() { right.load(); slot.store(new long(1)); }
TL_OP void touch() { right = 1; left = 1; }

#elif TRAP == 90
// The C library keeps a block of its own from one run to the next: it writes what is printed there.
static std::atomic<long> turn;
TL_INIT void init() { turn = 0; }
TL_OP long print() {
  long other = turn.fetch_add(1);
  char *room = new char[8192]();
  printf("text");
  long seen = 0;
  for (int i = 0; i < 8192; i++) seen += room[i] != 0;
  delete[] room;
  return seen + (other > 1);
}

#elif TRAP == 10
static std::atomic<long *> slot;
TL_INIT void init() { slot = new long(1); }
TL_OP void drop() { delete slot.exchange(nullptr); }
TL_OP long look() { long *at = slot; return at ? reinterpret_cast<std::atomic<long> *>(at)->load() > 0 : 0; }

#elif TRAP == 100
// A block that comes back makes a comparison succeed although `fast` came between.
static std::atomic<long *> slot;
static std::atomic<long> began, ended;
TL_INIT void init() { slot = new long(1); began = ended = 0; }
TL_OP long slow() {
  long *old = slot, *fresh = new long(1);
  began = 1;
  long between = ended;
  return between * 10 + slot.compare_exchange_strong(old, fresh);
}
TL_OP long fast() {
  long after = began;
  for (int i = 0; i < 2; i++) {
    long *old = slot, *fresh = new long(1);
    slot.store(fresh);
    delete old;
  }
  ended = 1;
  return after;
}

#elif TRAP == 11
static std::atomic<long> made;
struct Thing { Thing() { made.fetch_add(1); } long count() { return made; } };
TL_INIT void init() { made = 0; }
TL_OP long use() { static Thing thing; return thing.count(); }

#elif TRAP == 110
// What is to be done at the end of the program, for a variable that a run has made.
struct Thing { ~Thing() { fputs("destroyed", stderr); } };
TL_OP void use() { static Thing thing; }

#elif TRAP == 111
// What a thread keeps by a key is its own, in every execution anew.
static std::atomic<long> turn;
static pthread_key_t key;
TL_INIT void init() { turn = 0; pthread_key_create(&key, nullptr); }
TL_OP long mark() {
  long before = reinterpret_cast<long>(pthread_getspecific(key));
  pthread_setspecific(key, reinterpret_cast<void *>(before + 1));
  turn.fetch_add(1);
  return before * 10 + reinterpret_cast<long>(pthread_getspecific(key));
}

#elif TRAP == 12
// The library waits for the condition variable from inside.
static std::mutex mutex;
static std::condition_variable_any *ready;
static bool there;
TL_INIT void init() { ready = new std::condition_variable_any; there = false; }
TL_OP void send() { { std::lock_guard<std::mutex> guard(mutex); there = true; } ready->notify_all(); }
TL_OP long wait() { std::unique_lock<std::mutex> guard(mutex); ready->wait(guard, [] { return there; }); return 1; }

#elif TRAP == 13
static std::atomic<long> flag;
TL_INIT void init() { flag = 0; }
TL_OP void set() { flag = 1; }
TL_OP long wait() { while (!flag) { } return 1; }

#elif TRAP == 14 || TRAP == 16
static std::atomic<long> count;
static long *volatile nowhere;
static long deep(volatile long n) { volatile char room[4096]; room[n % 4096] = 1; return deep(n + 1) + room[0]; }
TL_INIT void init() { count = 0; }
TL_OP long act() {
#if TRAP == 16
  stack_t none = {};
  none.ss_flags = SS_DISABLE;
  sigaltstack(&none, nullptr);
  return count.fetch_add(1) == 1 ? deep(1) : 0;
#else
  return count.fetch_add(1) == 1 ? *nowhere : 0;
#endif
}
#elif TRAP == 150
// A thread of the system's that nobody controls.
static std::atomic<long> count;
static std::thread *thread = new std::thread([] { for (;;) count++; });
TL_OP long next() { return count; }

#elif TRAP == 160
// The C library takes the number of a thread for an address.
static std::atomic<long> count;
TL_OP long room() {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes)) return -1;
  void *low;
  size_t size;
  pthread_attr_getstack(&attributes, &low, &size);
  pthread_attr_destroy(&attributes);
  count++;
  char *here = reinterpret_cast<char *>(&low);
  return here >= low && here < static_cast<char *>(low) + size;
}
#else
static std::atomic<long> count;
TL_OP long next() { return count.fetch_add(1); }
#endif
