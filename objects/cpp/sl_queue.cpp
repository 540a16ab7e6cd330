// A sequential list queue, used concurrently (as sl-queue of the Scal suite): not thread-safe, and known not to be. The
// fields are relaxed atomics so that the lost updates show, not only the data races.
#include <atomic>
#include <trueline.h>

struct Node {
  long value;
  std::atomic<Node *> next{nullptr};
};

static std::atomic<Node *> head, tail;

TL_SPEC("queue");
TL_INIT void init() {
  head = new Node;
  tail = head.load();
}

TL_OP void enq(long value) {
  Node *node = new Node;
  node->value = value;
  tail.load(std::memory_order_relaxed)->next.store(node, std::memory_order_release);
  tail.store(node, std::memory_order_release);
}

TL_OP bool deq(long &value) {
  if (head.load(std::memory_order_acquire) == tail.load(std::memory_order_acquire)) return false;
  value = head.load(std::memory_order_acquire)->next.load(std::memory_order_acquire)->value;
  head.store(head.load(std::memory_order_acquire)->next.load(std::memory_order_acquire), std::memory_order_release);
  return true;
}
