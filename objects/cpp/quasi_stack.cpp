// A stack whose pop takes one of the K + 1 youngest values; each thread takes another. With K = 0 it is linearizable.
//
//   -DBUG=1   a pop that loses a race answers that the stack is empty
//   -DBUG=2   pop reaches one value further than K
#include <atomic>
#include <pthread.h>
#include <trueline.h>

#ifndef BUG
#define BUG 0
#endif
#ifndef K
#define K 0
#endif

struct Node {
  long value;
  Node *next;
  std::atomic<bool> taken{false};
};

static std::atomic<Node *> top;

TL_SPEC("stack");
TL_INIT void init() { top = nullptr; }

TL_OP void push(long value) {
  Node *node = new Node;
  node->value = value;
  Node *first = top.load();
  do {
    node->next = first;
  } while (!top.compare_exchange_strong(first, node));
}

TL_OP bool pop(long &value) {
  for (;;) {
    Node *first = top.load(), *found = nullptr;
    int skip = (int)(pthread_self() % (K + (BUG == 2 ? 2 : 1)));
    for (Node *node = first; node != nullptr; node = node->next) {
      if (node->taken.load()) continue;
      found = node;
      if (skip-- == 0) break;
    }
    if (top.load() != first) continue;
    if (found == nullptr) return false;
    bool no = false;
    if (found->taken.compare_exchange_strong(no, true)) {
      value = found->value;
      return true;
    }
    if (BUG == 1) return false;
  }
}
