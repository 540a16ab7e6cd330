/* Locks that nobody releases: WHAT says how. */
#include <errno.h>
#include <pthread.h>
#include <trueline.h>

static pthread_mutex_t mutex;
static int count;

TL_INIT void init(void) {
  pthread_mutexattr_t kind;
  pthread_mutexattr_init(&kind);
#if WHAT == 3
  pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK);
#elif WHAT == 4
  pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
#endif
  pthread_mutex_init(&mutex, &kind);
  count = 0;
}

TL_OP void put(void) {
  pthread_mutex_lock(&mutex);
  count++;
  pthread_mutex_unlock(&mutex);
}

/* Forgets the lock when there is nothing; asks for it twice; is told that it has it; may have it twice. */
TL_OP int take(void) {
  pthread_mutex_lock(&mutex);
#if WHAT == 1
  if (count == 0) return -1;
#elif WHAT == 2
  pthread_mutex_lock(&mutex);
#elif WHAT == 3
  if (pthread_mutex_lock(&mutex) != EDEADLK) return -2;
#elif WHAT == 4
  if (pthread_mutex_trylock(&mutex) != 0) return -2;
  pthread_mutex_unlock(&mutex);
#endif
  int taken = count > 0 ? count-- : 0;
  pthread_mutex_unlock(&mutex);
  return taken;
}
