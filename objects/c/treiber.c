/* Treiber's stack (IBM Almaden, 1986) in C11. A failed comparison leaves what it found for the next try. */
#include <stdatomic.h>
#include <stdlib.h>
#include <trueline.h>

struct node {
  long value;
  struct node *next;
};

static _Atomic(struct node *) top;

TL_SPEC("stack");
TL_INIT void init(void) { atomic_store(&top, NULL); }

TL_OP void push(long value) {
  struct node *node = malloc(sizeof(struct node));
  node->value = value;
  node->next = atomic_load(&top);
  while (!atomic_compare_exchange_strong(&top, &node->next, node)) {
  }
}

TL_OP bool pop(long *value) {
  struct node *first = atomic_load(&top);
  while (first != NULL && !atomic_compare_exchange_strong(&top, &first, first->next)) {
  }
  if (first == NULL) return false;
  *value = first->value;
  return true;
}
