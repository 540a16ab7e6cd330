// A priority queue behind a lock whose deqMin takes one of the K + 1 smallest values.
//
//   -DBUG=2   deqMin reaches one value further
#include <mutex>
#include <pthread.h>
#include <trueline.h>

#ifndef BUG
#define BUG 0
#endif
#ifndef K
#define K 1
#endif

static std::mutex lock;
static long values[16];
static int count;

TL_SPEC("priority-queue");
TL_INIT void init() { count = 0; }

TL_OP void enq(long value) {
  std::lock_guard<std::mutex> guard(lock);
  int at = count++;
  for (; at > 0 && values[at - 1] > value; at--) values[at] = values[at - 1];
  values[at] = value;
}

TL_OP bool deqMin(long &value) {
  std::lock_guard<std::mutex> guard(lock);
  if (count == 0) return false;
  int at = (int)(pthread_self() % (K + (BUG == 2 ? 2 : 1)));
  if (at >= count) at = count - 1;
  value = values[at];
  for (count--; at < count; at++) values[at] = values[at + 1];
  return true;
}
