/* A consumer that looks at the flag without the lock before it waits: the signal may come in between. */
#include <pthread.h>
#include <stdatomic.h>
#include <trueline.h>
static pthread_mutex_t mutex;
static pthread_cond_t condition;
static _Atomic int ready;
TL_INIT void init(void) { pthread_mutex_init(&mutex, 0); pthread_cond_init(&condition, 0); ready = 0; }
TL_OP void produce(void) {
  atomic_store(&ready, 1);
  pthread_cond_signal(&condition);
}
TL_OP int consume(void) {
  while (!atomic_load(&ready)) {
    pthread_mutex_lock(&mutex);
    pthread_cond_wait(&condition, &mutex);
    pthread_mutex_unlock(&mutex);
  }
  return 1;
}
