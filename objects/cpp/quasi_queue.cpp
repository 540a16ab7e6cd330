// A segmented quasi queue after Afek, Korland and Yanovsky (OPODIS 2010): values within a segment of SIZE cells come out
// in any order, so a value is overtaken SIZE - 1 times at most. Each thread begins at a cell of its own.
//
//   -DBUG=1   deq draws from two segments: a value more than the factor away from the head
//   -DBUG=2   a cell is claimed by a test and a store: a value comes out twice
//   -DBUG=3   empty after one scan, without a second look: nothing although something is there
#include <atomic>
#include <pthread.h>
#include <trueline.h>

#ifndef BUG
#define BUG 0
#endif
#ifndef SIZE
#define SIZE 2
#endif

static const int segments = 10, window = BUG == 1 ? 2 * SIZE : SIZE;
static std::atomic<int> head, tail;
static std::atomic<long> values[segments * SIZE];
static std::atomic<bool> claimed[segments * SIZE];

static int start(int cells) { return (int)(pthread_self() % cells); }

TL_SPEC("queue");
TL_INIT void init() { head = tail = 0; }

TL_OP void enq(long value) {
  for (;;) {
    int segment = tail.load();
    for (int i = 0; i < SIZE; i++) {
      long empty = 0;
      if (values[segment * SIZE + (start(SIZE) + i) % SIZE].compare_exchange_strong(empty, value)) return;
    }
    tail.compare_exchange_strong(segment, segment + 1);
  }
}

TL_OP bool deq(long &value) {
again:
  int segment = head.load();
  bool hole = false;
  long seen[2 * SIZE] = {};
  for (int i = 0; i < window; i++) {
    int cell = (start(window) + i) % window, at = segment * SIZE + cell;
    seen[cell] = values[at].load();
    if (seen[cell] == 0) {
      if (cell < SIZE) hole = true;
      continue;
    }
    bool no = false;
#if BUG == 2
    if (claimed[at].load()) continue;
    claimed[at].store(true);
#else
    if (!claimed[at].compare_exchange_strong(no, true)) continue;
#endif
    value = seen[cell];
    return true;
  }
  if (!hole) {
    head.compare_exchange_strong(segment, segment + 1);
    goto again;
  }
#if BUG != 3
  for (int i = 0; i < SIZE; i++)
    if (values[segment * SIZE + i].load() != seen[i]) goto again;
#endif
  return false;
}
