/* A stack whose popped nodes are kept by their thread and pushed again: no freed memory is read, but a node that comes
 * back makes a comparison succeed although the stack has changed (ABA). */
#include <stdatomic.h>
#include <stdlib.h>
#include <trueline.h>

struct node {
  _Atomic long value;
  _Atomic(struct node *) next;
};

static _Atomic(struct node *) top;
static _Thread_local struct node *spare;

TL_SPEC("stack");
TL_INIT void init(void) { atomic_store(&top, NULL); }

TL_OP void push(long value) {
  struct node *node = spare != NULL ? spare : malloc(sizeof(struct node));
  spare = NULL;
  node->value = value;
  struct node *first = atomic_load(&top);
  do {
    atomic_store(&node->next, first);
  } while (!atomic_compare_exchange_strong(&top, &first, node));
}
TL_OP bool pop(long *value) {
  struct node *first, *next;
  do {
    first = atomic_load(&top);
    if (first == NULL) return false;
    next = atomic_load(&first->next);
  } while (!atomic_compare_exchange_strong(&top, &first, next));
  *value = first->value;
  if (spare == NULL) spare = first;
  return true;
}
