// Treiber's stack (IBM Almaden, 1986). Nodes are not freed while the stack is in use: the published algorithm leaves
// reclamation open, and freeing in pop is the bug of treiber_free.cpp.
#include <atomic>
#include <trueline.h>

struct Node {
  long value;
  Node *next;
};

struct Stack {
  std::atomic<Node *> top{nullptr};

  void push(long value) {
    Node *node = new Node{value, nullptr};
    Node *first;
    do {
      first = top.load();
      node->next = first;
    } while (!top.compare_exchange_strong(first, node));
  }

  bool pop(long &value) {
    Node *first, *next;
    do {
      first = top.load();
      if (first == nullptr) return false;
      next = first->next;
    } while (!top.compare_exchange_strong(first, next));
    value = first->value;
    return true;
  }
};

static Stack *stack;

TL_SPEC("stack");
TL_INIT void init() { stack = new Stack; }
TL_OP void push(long value) { stack->push(value); }
TL_OP bool pop(long &value) { return stack->pop(value); }
