/* ck_stack of Concurrency Kit, its operations for several producers and consumers (Debian package libck-dev). Its
 * inline assembly cannot be seen: build it with the compiler's builtins, -DCK_USE_CC_BUILTINS=1. */
#include <ck_stack.h>
#include <stdlib.h>
#include <trueline.h>

struct node {
  ck_stack_entry_t entry;
  long value;
};

static ck_stack_t stack;

TL_SPEC("stack");
TL_INIT void init(void) { ck_stack_init(&stack); }

TL_OP void push(long value) {
  struct node *node = malloc(sizeof(struct node));
  node->value = value;
  ck_stack_push_upmc(&stack, &node->entry);
}

TL_OP bool pop(long *value) {
  ck_stack_entry_t *entry = ck_stack_pop_upmc(&stack);
  if (entry == NULL) return false;
  *value = ((struct node *)entry)->value;
  return true;
}
