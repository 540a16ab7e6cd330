/* The same done right: the flag is set and looked at under the lock. */
#include <pthread.h>
#include <trueline.h>
static pthread_mutex_t mutex;
static pthread_cond_t condition;
static int ready;
TL_INIT void init(void) { pthread_mutex_init(&mutex, 0); pthread_cond_init(&condition, 0); ready = 0; }
TL_OP void produce(void) {
  pthread_mutex_lock(&mutex);
  ready = 1;
  pthread_cond_broadcast(&condition);
  pthread_mutex_unlock(&mutex);
}
TL_OP int consume(void) {
  pthread_mutex_lock(&mutex);
  while (!ready) pthread_cond_wait(&condition, &mutex);
  pthread_mutex_unlock(&mutex);
  return 1;
}
