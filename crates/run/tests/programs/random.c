/* An interpreter of small random programs over shared memory: each operation gets its program as a number. */
#include <pthread.h>
#include <stdatomic.h>
#include <trueline.h>

static union {
  _Atomic long word;
  _Atomic unsigned char bytes[8];
} shared[3];
static long plain[3];
static pthread_mutex_t mutex;

TL_INIT void init(void) { pthread_mutex_init(&mutex, 0); }

/* Eight bits an instruction: four what, two where, two which constant. */
TL_OP long run(unsigned long program) {
  long seen = 0;
  for (; program & 15; program >>= 8) {
    int at = (program >> 4 & 3) % 3;
    long constant = program >> 6 & 3;
    _Atomic long *word = &shared[at].word;
    switch (program & 15) {
    case 1:
      seen = seen * 8 + (atomic_load(word) & 7);
      break;
    case 2:
      atomic_store(word, constant + 1);
      break;
    case 3:
      atomic_store(word, seen & 3);
      break;
    case 4:
      seen = seen * 8 + (atomic_fetch_add(word, constant + 1) & 7);
      break;
    case 5:
      seen = seen * 8 + (atomic_exchange(word, constant) & 7);
      break;
    case 6: {
      long expected = constant;
      seen = seen * 2 + atomic_compare_exchange_strong(word, &expected, constant + 1);
      break;
    }
    case 7: {
      long value = atomic_load(word);
      while (!atomic_compare_exchange_strong(word, &value, value + 1)) {
      }
      break;
    }
    case 8:
      pthread_mutex_lock(&mutex);
      seen = seen * 8 + (plain[at]++ & 7);
      pthread_mutex_unlock(&mutex);
      break;
    case 9:
      atomic_store(&shared[at].bytes[constant & 1], (unsigned char)(constant + 1));
      break;
    case 10:
      if (pthread_mutex_trylock(&mutex) == 0) {
        plain[at] = constant;
        pthread_mutex_unlock(&mutex);
        seen = seen * 2 + 1;
      }
      break;
    case 11:
      for (int tries = 0; tries < 2; tries++) {
        if (atomic_load(word) == constant) break;
        seen = seen * 2 + 1;
      }
      break;
    case 12: {
      long value;
      int tries = 0;
      do {
        value = atomic_load(word);
        tries++;
      } while (!atomic_compare_exchange_strong(word, &value, value + tries));
      break;
    }
    case 13: {
      /* Carries what it has seen from one try to the next. */
      long value, carried = 0;
      do {
        value = atomic_load(word);
        carried = carried * 3 + value + 1;
      } while (!atomic_compare_exchange_strong(word, &value, value + 1));
      seen = seen * 8 + (carried & 7);
      break;
    }
    case 14: {
      /* Backs off for longer and longer, then gives up. */
      int wait = 1;
      for (;;) {
        long value = atomic_load(word);
        if (atomic_compare_exchange_strong(word, &value, value + 1)) break;
        if ((wait *= 2) > 2) {
          seen = seen * 8 + 5;
          break;
        }
      }
      break;
    }
    default:
      atomic_fetch_or(word, constant);
    }
  }
  return seen;
}

TL_OP long final(void) {
  long all = 0;
  for (int i = 0; i < 3; i++) all = all * 1024 + (shared[i].word & 1023) * 8 + (plain[i] & 7);
  return all;
}
