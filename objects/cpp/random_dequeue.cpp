// The random-dequeued queue of Afek, Korland and Yanovsky (OPODIS 2010), as rd-queue of the Scal suite: a list as in the queue
// of Michael and Scott whose deq takes one of the first K + 1 values, so that a value is overtaken K times at most. Each thread
// begins at another value. The window moves on only when all its values are taken.
#include <atomic>
#include <pthread.h>
#include <trueline.h>

#ifndef K
#define K 1
#endif

struct Node {
  long value = 0;
  std::atomic<bool> taken{true};
  std::atomic<Node *> next{nullptr};
};

static std::atomic<Node *> head, tail;

TL_SPEC("queue");
TL_INIT void init() {
  Node *dummy = new Node;
  head = dummy;
  tail = dummy;
}

TL_OP void enq(long value) {
  Node *node = new Node;
  node->value = value;
  node->taken = false;
  for (;;) {
    Node *last = tail.load();
    Node *next = last->next.load();
    if (next != nullptr) {
      tail.compare_exchange_strong(last, next);
      continue;
    }
    if (last->next.compare_exchange_strong(next, node)) {
      tail.compare_exchange_strong(last, node);
      return;
    }
  }
}

TL_OP bool deq(long &value) {
  for (;;) {
    // The window: the K + 1 values after the head.
    Node *first = head.load(), *window[K + 1];
    int count = 0;
    for (Node *node = first->next.load(); node != nullptr && count <= K; node = node->next.load()) window[count++] = node;
    for (int i = 0; i < count; i++) {
      Node *node = window[(pthread_self() + i) % count];
      bool no = false;
      if (!node->taken.load() && node->taken.compare_exchange_strong(no, true)) {
        value = node->value;
        return true;
      }
    }
    if (count == K + 1) {
      // All are taken: the next window begins after the last of them.
      head.compare_exchange_strong(first, window[K]);
      continue;
    }
    // Taken values stay taken: it is empty if nothing came since.
    Node *end = count == 0 ? first : window[count - 1];
    if (end->next.load() == nullptr && head.load() == first) return false;
  }
}
