/* An interpreter of small programs with memory orders: each operation gets its program as a number. */
#include <stdatomic.h>
#include <trueline.h>

static _Atomic long shared[3];
static long plain[2];

TL_INIT void init(void) {
  for (int i = 0; i < 3; i++) atomic_init(&shared[i], 0);
}

/* Loads are relaxed, acquire or sc; stores relaxed, release or sc; the rest relaxed, acquire, release, both or sc. */
static long load(_Atomic long *at, int order) {
  switch (order) {
  case 0: return atomic_load_explicit(at, memory_order_relaxed);
  case 1: return atomic_load_explicit(at, memory_order_acquire);
  default: return atomic_load_explicit(at, memory_order_seq_cst);
  }
}

static void store(_Atomic long *at, long value, int order) {
  switch (order) {
  case 0: atomic_store_explicit(at, value, memory_order_relaxed); break;
  case 1: atomic_store_explicit(at, value, memory_order_release); break;
  default: atomic_store_explicit(at, value, memory_order_seq_cst);
  }
}

#define EACH(call)                                                                                                     \
  switch (order) {                                                                                                     \
  case 0: return call(memory_order_relaxed);                                                                           \
  case 1: return call(memory_order_acquire);                                                                           \
  case 2: return call(memory_order_release);                                                                           \
  case 3: return call(memory_order_acq_rel);                                                                           \
  default: return call(memory_order_seq_cst);                                                                          \
  }

static long add(_Atomic long *at, long value, int order) {
#define CALL(o) atomic_fetch_add_explicit(at, value, o)
  EACH(CALL)
#undef CALL
}

/* A comparison that fails is relaxed. */
static long compare(_Atomic long *at, long expected, long value, int order) {
#define CALL(o) atomic_compare_exchange_strong_explicit(at, &expected, value, o, memory_order_relaxed)
  EACH(CALL)
#undef CALL
}

static long fence(int order) {
#define CALL(o) (atomic_thread_fence(o), 0)
  EACH(CALL)
#undef CALL
}

/* Twelve bits an instruction: four what, two where, two which constant, three which order. */
TL_OP long run(unsigned long program) {
  long seen = 0;
  for (; program & 15; program >>= 12) {
    int at = (program >> 4 & 3) % 3, order = program >> 8 & 7;
    long constant = program >> 6 & 3;
    switch (program & 15) {
    case 1: seen = seen * 8 + load(&shared[at], order); break;
    case 2: store(&shared[at], constant + 1, order); break;
    case 3: store(&shared[at], seen & 3, order); break;
    case 4: seen = seen * 8 + add(&shared[at], constant, order); break;
    case 5: seen = seen * 8 + compare(&shared[at], constant, constant + 1, order); break;
    case 6: fence(order); break;
    case 7: seen = seen * 8 + plain[at & 1]; break;
    default: plain[at & 1] = constant + 1;
    }
  }
  return seen;
}

TL_OP long final(void) {
  long all = 0;
  for (int i = 0; i < 3; i++) all = all * 64 + atomic_load(&shared[i]);
  return all * 64 + plain[0] * 8 + plain[1];
}
