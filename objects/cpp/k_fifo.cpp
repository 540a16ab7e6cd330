// The k-FIFO queues of Kirsch, Lippautz and Payer (PaCT 2013), as bk-queue and ubk-queue of the Scal suite: a queue of segments
// of K cells. Within the first segment values come out in any order, so a value is overtaken K - 1 times at most. A thread that
// has put a value in makes sure that its segment was not removed meanwhile (committed). Each thread begins at another cell.
//
//   -DBOUNDED   a ring of SEGMENTS segments; enq answers whether there was room
#include <atomic>
#include <pthread.h>
#include <trueline.h>

#ifndef K
#define K 2
#endif
#ifndef SEGMENTS
#define SEGMENTS 8
#endif

// A value with a version, so that a cell that was emptied and filled again differs.
static long pack(long value, long version) { return value << 16 | (version & 0xffff); }
static long value_of(long cell) { return cell >> 16; }
static long version_of(long cell) { return cell & 0xffff; }

struct Segment {
  std::atomic<long> cells[K];
  std::atomic<bool> deleted{false};
  std::atomic<Segment *> next{nullptr};
  Segment() {
    for (auto &cell : cells) cell = 0;
  }
};

static int start() { return (int)(pthread_self() % K); }

// A cell of a segment that is empty, or holds a value.
static int find(std::atomic<long> *cells, bool empty, long &seen) {
  for (int i = 0; i < K; i++) {
    int at = (start() + i) % K;
    seen = cells[at].load();
    if ((value_of(seen) == 0) == empty) return at;
  }
  return -1;
}

TL_SPEC("queue");

#ifdef BOUNDED
static std::atomic<long> cells[SEGMENTS * K];
static std::atomic<long> head, tail; // segments, counted without end

TL_INIT void init() {
  for (auto &cell : cells) cell = 0;
  head = tail = 0;
}

static std::atomic<long> *segment(long number) { return &cells[number % SEGMENTS * K]; }

static bool committed(long tail_then, int at, long now) {
  std::atomic<long> &cell = segment(tail_then)[at];
  if (cell.load() != now) return true; // somebody has taken it
  long first = head.load(), last = tail.load();
  if (first < tail_then && tail_then <= last) return true; // well inside
  long empty = pack(0, version_of(now) + 1);
  if (tail_then < first || tail_then > last) {
    // Its segment is no part of the queue: take the value back, or somebody did.
    return !cell.compare_exchange_strong(now, empty);
  }
  // It is the first segment: nobody may remove that now.
  if (head.compare_exchange_strong(first, first)) return true;
  return !cell.compare_exchange_strong(now, empty);
}

TL_OP void enq(long value) {
  for (;;) {
    long last = tail.load(), seen;
    int at = find(segment(last), true, seen);
    if (tail.load() != last) continue;
    if (at < 0) {
      tail.compare_exchange_strong(last, last + 1);
      continue;
    }
    long now = pack(value, version_of(seen) + 1);
    if (segment(last)[at].compare_exchange_strong(seen, now) && committed(last, at, now)) return;
  }
}

TL_OP bool deq(long &value) {
  for (;;) {
    long first = head.load(), seen;
    int at = find(segment(first), false, seen);
    long last = tail.load();
    if (head.load() != first) continue;
    if (at >= 0) {
      // Nobody may put a value into the segment that the last one is taken from.
      if (first == last) tail.compare_exchange_strong(last, last + 1);
      if (segment(first)[at].compare_exchange_strong(seen, pack(0, version_of(seen) + 1))) {
        value = value_of(seen);
        return true;
      }
    } else {
      if (first == last && tail.load() == last) return false;
      head.compare_exchange_strong(first, first + 1);
    }
  }
}

#else
static std::atomic<Segment *> head, tail;

TL_INIT void init() {
  Segment *first = new Segment;
  head = first;
  tail = first;
}

static void advance_tail(Segment *last) {
  Segment *next = last->next.load();
  if (next == nullptr) {
    Segment *fresh = new Segment;
    if (last->next.compare_exchange_strong(next, fresh)) next = fresh;
  }
  tail.compare_exchange_strong(last, next);
}

static void advance_head(Segment *first) {
  Segment *last = tail.load();
  if (first == last) advance_tail(last);
  first->deleted.store(true);
  Segment *next = first->next.load();
  head.compare_exchange_strong(first, next);
}

static bool committed(Segment *segment, int at, long now) {
  std::atomic<long> &cell = segment->cells[at];
  if (cell.load() != now) return true; // somebody has taken it
  if (!segment->deleted.load()) return true;
  // Its segment was removed: take the value back, or somebody did.
  return !cell.compare_exchange_strong(now, pack(0, version_of(now) + 1));
}

TL_OP void enq(long value) {
  for (;;) {
    Segment *last = tail.load();
    long seen;
    int at = find(last->cells, true, seen);
    if (tail.load() != last) continue;
    if (at < 0) {
      advance_tail(last);
      continue;
    }
    long now = pack(value, version_of(seen) + 1);
    if (last->cells[at].compare_exchange_strong(seen, now) && committed(last, at, now)) return;
  }
}

TL_OP bool deq(long &value) {
  for (;;) {
    Segment *first = head.load();
    long seen;
    int at = find(first->cells, false, seen);
    Segment *last = tail.load();
    if (head.load() != first) continue;
    if (at >= 0) {
      if (first == last) advance_tail(last);
      if (first->cells[at].compare_exchange_strong(seen, pack(0, version_of(seen) + 1))) {
        value = value_of(seen);
        return true;
      }
    } else {
      if (first == last && tail.load() == last) return false;
      advance_head(first);
    }
  }
}
#endif
