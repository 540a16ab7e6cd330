// Of the block that one operation frees, the other looks at a part with padding behind it, which nothing is seen to write.
#include <pthread.h>
#include <stdlib.h>
#include <trueline.h>

struct node {
  int color;
  struct node *next;
};
static struct node *top;
static pthread_mutex_t mutex;

TL_INIT void init(void) {
  pthread_mutex_init(&mutex, 0);
  top = malloc(sizeof *top);
  top->color = 1;
  top->next = 0;
}

TL_OP long look(void) {
  pthread_mutex_lock(&mutex);
  long seen = top ? top->color : -1;
  pthread_mutex_unlock(&mutex);
  return seen;
}

TL_OP void drop(void) {
  pthread_mutex_lock(&mutex);
  free(top);
  top = 0;
  pthread_mutex_unlock(&mutex);
}

// What was freed is used again, and looked at before it is written.
TL_OP long again(void) {
  pthread_mutex_lock(&mutex);
  free(top);
  top = malloc(sizeof *top);
  long seen = top->color;
  top->color = 2;
  pthread_mutex_unlock(&mutex);
  return seen;
}
