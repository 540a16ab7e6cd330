// The queue of Michael and Scott (PODC 1996), without reclamation.
#include <atomic>
#include <trueline.h>

struct Node {
  long value;
  std::atomic<Node *> next{nullptr};
};

struct Queue {
  std::atomic<Node *> head, tail;

  Queue() {
    Node *dummy = new Node;
    head = dummy;
    tail = dummy;
  }

  void enq(long value) {
    Node *node = new Node;
    node->value = value;
    for (;;) {
      Node *last = tail.load();
      Node *next = last->next.load();
      if (tail.load() != last) continue;
      if (next == nullptr) {
        if (last->next.compare_exchange_strong(next, node)) {
          tail.compare_exchange_strong(last, node);
          return;
        }
      } else {
        tail.compare_exchange_strong(last, next);
      }
    }
  }

  bool deq(long &value) {
    for (;;) {
      Node *first = head.load();
      Node *last = tail.load();
      Node *next = first->next.load();
      if (head.load() != first) continue;
      if (first == last) {
        if (next == nullptr) return false;
        tail.compare_exchange_strong(last, next);
      } else {
        value = next->value;
        if (head.compare_exchange_strong(first, next)) return true;
      }
    }
  }
};

static Queue *queue;

TL_SPEC("queue");
TL_INIT void init() { queue = new Queue; }
TL_OP void enq(long value) { queue->enq(value); }
TL_OP bool deq(long &value) { return queue->deq(value); }
