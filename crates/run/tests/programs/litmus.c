/* The threads of litmus tests, each with the memory orders that its name says. A thread answers what it read, a digit a
   read. */
#include <stdatomic.h>
#include <trueline.h>

static _Atomic long x, y, z;
static long data;

TL_INIT void init(void) {
  atomic_init(&x, 0);
  atomic_init(&y, 0);
  atomic_init(&z, 0);
}

#define RLX memory_order_relaxed
#define ACQ memory_order_acquire
#define REL memory_order_release
#define AR memory_order_acq_rel
#define SC memory_order_seq_cst
#define NONE ((void)0)
#define FENCE(order) atomic_thread_fence(order)

/* A store, or a load that adds a digit. */
#define W(at, value, order) atomic_store_explicit(&at, value, order)
#define R(at, order) seen = seen * 10 + atomic_load_explicit(&at, order)
#define THREAD(name, ...) TL_OP long name(void) { long seen = 0; __VA_ARGS__; return seen; }

/* Two accesses, with something between them. */
#define WW(name, a, order_a, between, b, order_b) THREAD(name, W(a, 1, order_a); between; W(b, 1, order_b))
#define WR(name, a, order_a, between, b, order_b) THREAD(name, W(a, 1, order_a); between; R(b, order_b))
#define RW(name, a, order_a, between, b, order_b) THREAD(name, R(a, order_a); between; W(b, 1, order_b))
#define RR(name, a, order_a, between, b, order_b) THREAD(name, R(a, order_a); between; R(b, order_b))

THREAD(wx_rlx, W(x, 1, RLX)) THREAD(wx_rel, W(x, 1, REL)) THREAD(wx_sc, W(x, 1, SC))
THREAD(wy_rlx, W(y, 1, RLX)) THREAD(wy_rel, W(y, 1, REL)) THREAD(wy_sc, W(y, 1, SC))

WW(wxy_rlx, x, RLX, NONE, y, RLX) WW(wxy_rel, x, RLX, NONE, y, REL)
WW(wxy_sc, x, RLX, NONE, y, SC) WW(wxy_fence, x, RLX, FENCE(REL), y, RLX)
RR(ryx_rlx, y, RLX, NONE, x, RLX) RR(ryx_acq, y, ACQ, NONE, x, RLX) RR(ryx_acq2, y, ACQ, NONE, x, ACQ)
RR(ryx_sc, y, SC, NONE, x, SC) RR(ryx_fence, y, RLX, FENCE(ACQ), x, RLX) RR(ryx_scfence, y, RLX, FENCE(SC), x, RLX)
RR(rxy_rlx, x, RLX, NONE, y, RLX) RR(rxy_acq, x, ACQ, NONE, y, ACQ) RR(rxy_sc, x, SC, NONE, y, SC)
RR(rxy_scfence, x, RLX, FENCE(SC), y, RLX)
RR(rxx_rlx, x, RLX, NONE, x, RLX)

WR(wxry_rlx, x, RLX, NONE, y, RLX) WR(wyrx_rlx, y, RLX, NONE, x, RLX)
WR(wxry_ra, x, REL, NONE, y, ACQ) WR(wyrx_ra, y, REL, NONE, x, ACQ)
WR(wxry_sc, x, SC, NONE, y, SC) WR(wyrx_sc, y, SC, NONE, x, SC)
WR(wxry_fence, x, RLX, FENCE(SC), y, RLX) WR(wyrx_fence, y, RLX, FENCE(SC), x, RLX)
WR(wxry_weak, x, RLX, FENCE(AR), y, RLX) WR(wyrx_weak, y, RLX, FENCE(AR), x, RLX)

RW(rxwy_rlx, x, RLX, NONE, y, RLX) RW(rywx_rlx, y, RLX, NONE, x, RLX)
RW(rxwy_ra, x, ACQ, NONE, y, REL) RW(rywz_rlx, y, RLX, NONE, z, RLX) RW(rywz_ra, y, ACQ, NONE, z, REL)
RR(rzx_rlx, z, RLX, NONE, x, RLX) RR(rzx_acq, z, ACQ, NONE, x, RLX)

/* Sequentially consistent accesses with a release and an acquire between them. */
WW(wxy_screl, x, SC, NONE, y, REL) WW(wxy_scrlx, x, SC, NONE, y, RLX)
RR(ryz_acqsc, y, ACQ, NONE, z, SC) WR(wzrx_sc, z, SC, NONE, x, SC)

/* Two plus two writes. */
THREAD(wx1y2_rlx, W(x, 1, RLX); W(y, 2, RLX)) THREAD(wy1x2_rlx, W(y, 1, RLX); W(x, 2, RLX))
THREAD(wx1y2_rel, W(x, 1, REL); W(y, 2, REL)) THREAD(wy1x2_rel, W(y, 1, REL); W(x, 2, REL))
THREAD(wx1y2_sc, W(x, 1, SC); W(y, 2, SC)) THREAD(wy1x2_sc, W(y, 1, SC); W(x, 2, SC))

/* Release sequences: an increment continues one, a later store of the same thread does not (since C++20). */
THREAD(add_y, atomic_fetch_add_explicit(&y, 1, RLX))
THREAD(put_y, W(y, 2, RLX))
THREAD(wxy_then, W(x, 1, RLX); W(y, 1, REL); W(y, 2, RLX))

/* Read-modify-writes that change nothing are writes. */
THREAD(touch_y_x, atomic_fetch_add_explicit(&y, 0, AR); R(x, RLX))
THREAD(wx_touch_y, W(x, 1, RLX); atomic_fetch_add_explicit(&y, 0, AR))

/* A comparison that fails, with an order of its own. */
#define TRY(name, order)                                                                                               \
  TL_OP long name(void) {                                                                                              \
    long expected = 7, seen = atomic_compare_exchange_strong_explicit(&y, &expected, 8, AR, order);                    \
    seen = expected;                                                                                                   \
    R(x, RLX);                                                                                                         \
    return seen;                                                                                                       \
  }
TRY(try_acq, ACQ)
TRY(try_rlx, RLX)

/* Message passing of plain data. */
THREAD(give_rlx, data = 1; W(y, 1, RLX)) THREAD(give_rel, data = 1; W(y, 1, REL))
THREAD(give_fence, data = 1; FENCE(REL); W(y, 1, RLX))
TL_OP long take_acq(void) { return atomic_load_explicit(&y, ACQ) ? data : -1; }
TL_OP long take_rlx(void) { return atomic_load_explicit(&y, RLX) ? data : -1; }
TL_OP long take_fence(void) {
  if (!atomic_load_explicit(&y, RLX)) return -1;
  FENCE(ACQ);
  return data;
}

TL_OP long memory(void) { return atomic_load(&x) * 10 + atomic_load(&y); }
