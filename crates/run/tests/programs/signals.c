// Signals that operations raise themselves; WHAT says what comes of them.
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <trueline.h>

static atomic_long count;
static long plain;
static long *block;

static void handler(int signal) {
#if WHAT == 1
  count++;
#elif WHAT == 2
  long old = count;
  count = old + 1;
#elif WHAT == 3
  plain++;
#elif WHAT == 4
  free(block);
  block = 0;
#elif WHAT == 6
  raise(signal);
#endif
}

TL_INIT void init(void) {
  count = 0;
  block = malloc(sizeof *block);
  struct sigaction action = {.sa_handler = handler};
  if (WHAT != 5) sigaction(SIGUSR1, &action, 0);
  signal(SIGUSR2, SIG_IGN);
}

TL_OP void hit(void) {
#if WHAT == 7
  signal(SIGUSR1, SIG_DFL);
#elif WHAT == 8
  signal(SIGSEGV, handler);
  pthread_kill(pthread_self(), SIGUSR2);
#elif WHAT == 9
  sigset_t some;
  sigemptyset(&some);
  sigaddset(&some, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &some, 0);
#elif WHAT == 10
  kill(0, SIGUSR1);
#endif
  pthread_kill(pthread_self(), SIGUSR1);
  raise(SIGUSR2);
}

TL_OP long get(void) { return count; }
