// Treiber's stack whose pop frees the node at once. Another pop that has read the same top still follows its next: a use
// after free. Where the memory comes back soon enough, the comparison succeeds although the stack has changed (ABA).
#include <atomic>
#include <trueline.h>

struct Node {
  long value;
  std::atomic<Node *> next;
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
  } while (!top.compare_exchange_weak(first, node));
}

TL_OP bool pop(long &value) {
  Node *first = top.load();
  while (first != nullptr) {
    if (top.compare_exchange_weak(first, first->next.load())) {
      value = first->value;
      delete first;
      return true;
    }
  }
  return false;
}
