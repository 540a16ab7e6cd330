/* A bounded slot: put waits while it is full, take waits while it is empty. */
#include <pthread.h>
#include <trueline.h>
static pthread_mutex_t mutex;
static pthread_cond_t changed;
static long slot;
TL_INIT void init(void) { pthread_mutex_init(&mutex, 0); pthread_cond_init(&changed, 0); slot = 0; }
TL_OP void enq(long value) {
  pthread_mutex_lock(&mutex);
  while (slot != 0) pthread_cond_wait(&changed, &mutex);
  slot = value;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&mutex);
}
TL_OP long deq(void) {
  pthread_mutex_lock(&mutex);
  while (slot == 0) pthread_cond_wait(&changed, &mutex);
  long value = slot;
  slot = 0;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&mutex);
  return value;
}
