/* A list behind a lock, into which a function puts nodes that no instrumentation sees. */
#include <pthread.h>
#include <trueline.h>

struct node {
  struct node *next;
  long value;
};
static struct node *head, nodes[4];
static int used;
static pthread_mutex_t mutex;

__attribute__((no_sanitize("thread"), noinline)) static void link_it(struct node *node) {
  node->next = head;
  head = node;
}

TL_INIT void init(void) {
  pthread_mutex_init(&mutex, 0);
  head = 0;
  used = 0;
}

TL_OP void push(long value) {
  pthread_mutex_lock(&mutex);
  struct node *node = &nodes[used++];
  node->value = value;
  link_it(node);
  pthread_mutex_unlock(&mutex);
}

TL_OP long pop(void) {
  pthread_mutex_lock(&mutex);
  long value = -1;
  if (head) {
    value = head->value;
    head = head->next;
  }
  pthread_mutex_unlock(&mutex);
  return value;
}
