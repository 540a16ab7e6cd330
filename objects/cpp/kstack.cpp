// The k-stack of Henzinger, Kirsch, Payer, Sezgin and Sokolova (POPL 2013): a stack of segments of K cells. A pop that
// finds the top segment empty removes it; a push that has put its value there must find out whether it was in time
// (`committed`).
//
// As published in the Scal suite `committed` reads the segment's counter of removers twice: the first read says that
// somebody is removing the segment, the second, after the remover has given up, that nobody is. It then reports failure
// without taking the value back, and push puts the value in again: one push, two values.
//
//   -DFIXED   reads the counter once
#include <atomic>
#include <trueline.h>

#ifndef K
#define K 1
#endif

// A value and a tag in one word, so that a cell that returns to an old value is not taken for unchanged.
struct alignas(8) Word {
  int value, tag;
  bool operator==(const Word &other) const { return value == other.value && tag == other.tag; }
};

struct Segment {
  std::atomic<Word> cells[K];
  std::atomic<int> removers{0};
  Segment *next = nullptr;
  Segment() {
    for (auto &cell : cells) cell = Word{0, 0};
  }
};

struct KStack {
  // The pointer and its tag in one word: segments have 48-bit addresses.
  std::atomic<unsigned long> top;

  static unsigned long pack(Segment *segment, long tag) { return (unsigned long)segment | (unsigned long)tag << 48; }
  static Segment *segment(unsigned long top) { return (Segment *)(top & 0xffffffffffff); }
  static unsigned long next_tag(unsigned long top, Segment *segment) { return pack(segment, (top >> 48) + 1); }

  KStack() { top = pack(new Segment, 0); }

  void push(int value) {
    for (;;) {
      unsigned long first = top.load();
      Segment *seg = segment(first);
      int at = 0;
      Word old = seg->cells[0].load();
      for (at = 0; at < K; at++)
        if ((old = seg->cells[at].load()).value == 0) break;
      if (top.load() != first) continue;
      if (at == K) {
        Segment *fresh = new Segment;
        fresh->next = seg;
        fresh->cells[0] = Word{value, 0};
        if (top.compare_exchange_strong(first, next_tag(first, fresh))) return;
        continue;
      }
      Word put{value, old.tag + 1};
      if (seg->cells[at].compare_exchange_strong(old, put) && committed(first, seg->cells[at], put)) return;
    }
  }

  bool committed(unsigned long first, std::atomic<Word> &cell, Word put) {
    Segment *seg = segment(first);
    if (!(cell.load() == put)) return true;
#ifdef FIXED
    if (seg->removers.load() == 0) return true;
#else
    if (seg->removers.load() == 0) return true;
    if (seg->removers.load() == 0) return false;
#endif
    if (top.load() == first && top.compare_exchange_strong(first, next_tag(first, seg))) return true;
    return !cell.compare_exchange_strong(put, Word{0, put.tag + 1});
  }

  bool empty(Segment *seg) {
    int tags[K];
    for (int i = 0; i < K; i++) {
      Word word = seg->cells[i].load();
      tags[i] = word.tag;
      if (word.value != 0) return false;
    }
    for (int i = 0; i < K; i++)
      if (!(seg->cells[i].load() == Word{0, tags[i]})) return false;
    return true;
  }

  void remove(unsigned long first) {
    Segment *seg = segment(first);
    seg->removers.fetch_add(1);
    if (empty(seg) && top.compare_exchange_strong(first, next_tag(first, seg->next))) return;
    seg->removers.fetch_sub(1);
  }

  bool pop(int &value) {
    for (;;) {
      unsigned long first = top.load();
      Segment *seg = segment(first);
      int at;
      Word old{0, 0};
      for (at = 0; at < K; at++)
        if ((old = seg->cells[at].load()).value != 0) break;
      if (top.load() != first) continue;
      if (at < K) {
        if (seg->cells[at].compare_exchange_strong(old, Word{0, old.tag + 1})) {
          value = old.value;
          return true;
        }
      } else if (seg->next != nullptr) {
        remove(first);
      } else if (empty(seg) && top.load() == first) {
        return false;
      }
    }
  }
};

static KStack *stack;

TL_SPEC("stack");
TL_INIT void init() { stack = new KStack; }
TL_OP void push(int value) { stack->push(value); }
TL_OP bool pop(int &value) { return stack->pop(value); }
