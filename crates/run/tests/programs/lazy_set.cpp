// The lazy list of Heller, Herlihy, Luchangco, Moir, Scherer and Shavit (OPODIS 2005), as a set; with -DFORGETS it does not
// look whether the nodes that it has locked were removed.
#include <atomic>
#include <climits>
#include <mutex>
#include <trueline.h>

struct Node {
  long key;
  std::atomic<Node *> next;
  std::atomic<bool> removed{false};
  std::mutex mutex;
  Node(long key, Node *next) : key(key), next(next) {}
};

static Node *head;

TL_INIT void init() { head = new Node(LONG_MIN, new Node(LONG_MAX, nullptr)); }

static bool in_place(Node *before, Node *here) {
#ifndef FORGETS
  if (before->removed || here->removed) return false;
#endif
  return before->next == here;
}

template <typename F> static bool at(long key, F change) {
  for (;;) {
    Node *before = head, *here = before->next;
    while (here->key < key) {
      before = here;
      here = here->next;
    }
    std::lock_guard<std::mutex> first(before->mutex), second(here->mutex);
    if (in_place(before, here)) return change(before, here);
  }
}

TL_OP bool add(long key) {
  return at(key, [&](Node *before, Node *here) {
    if (here->key != key) before->next = new Node(key, here);
    return here->key != key;
  });
}

TL_OP bool remove(long key) {
  return at(key, [&](Node *before, Node *here) {
    if (here->key == key) {
      here->removed = true;
      before->next = here->next.load();
    }
    return here->key == key;
  });
}

TL_OP bool contains(long key) {
  Node *here = head;
  while (here->key < key) here = here->next;
  return here->key == key && !here->removed;
}
