// A stack whose accesses are relaxed and ordered by fences.
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <trueline.h>

struct node {
  long value;
  struct node *next;
};

static _Atomic(struct node *) top;

TL_SPEC("stack");
TL_INIT void init(void) { top = NULL; }

TL_OP void push(long value) {
  struct node *node = malloc(sizeof *node);
  node->value = value;
  for (;;) {
    struct node *first = atomic_load_explicit(&top, memory_order_relaxed);
    node->next = first;
    atomic_thread_fence(memory_order_release);
    if (atomic_compare_exchange_strong_explicit(&top, &first, node, memory_order_relaxed, memory_order_relaxed))
      return;
  }
}

TL_OP bool pop(long *value) {
  for (;;) {
    struct node *first = atomic_load_explicit(&top, memory_order_relaxed);
    if (!first) return false;
    atomic_thread_fence(memory_order_acquire);
    struct node *next = first->next;
    if (atomic_compare_exchange_strong_explicit(&top, &first, next, memory_order_relaxed, memory_order_relaxed)) {
      *value = first->value;
      return true;
    }
  }
}
