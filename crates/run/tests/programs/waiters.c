// `early` always waits before `late` does: a signal may wake either, and each wakes the other then.
#include <pthread.h>
#include <trueline.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int waiting, awake;

TL_INIT void init(void) { waiting = awake = 0; }

static int wait_for_turn(void) {
  waiting++;
  pthread_cond_wait(&condition, &mutex);
  int turn = ++awake;
  pthread_cond_signal(&condition);
  return turn;
}

TL_OP int early(void) {
  pthread_mutex_lock(&mutex);
  int turn = wait_for_turn();
  pthread_mutex_unlock(&mutex);
  return turn;
}

TL_OP int late(void) {
  pthread_mutex_lock(&mutex);
  int turn = waiting == 1 ? wait_for_turn() : 0;
  pthread_mutex_unlock(&mutex);
  return turn;
}

TL_OP int wake(void) {
  pthread_mutex_lock(&mutex);
  int both = waiting == 2;
  if (both) pthread_cond_signal(&condition);
  pthread_mutex_unlock(&mutex);
  return both;
}
