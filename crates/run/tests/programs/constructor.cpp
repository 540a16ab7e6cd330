// What goes wrong before any operation is called; WHAT says what.
#include <atomic>
#include <cassert>
#include <csignal>
#include <cstdlib>
#include <thread>
#include <trueline.h>
#include <unistd.h>

static long *volatile nowhere;

struct Thing {
  Thing() {
#if WHAT == 1
    *nowhere = 1; // crash
#elif WHAT == 2
    exit(3); // exit
#elif WHAT == 3
    abort(); // abort
#elif WHAT == 4
    assert(nowhere); // assertion
#elif WHAT == 5
    throw 1; // exception
#elif WHAT == 6
    std::thread([] {}).join(); // thread
#elif WHAT == 7
    raise(SIGTERM); // signal
#elif WHAT == 8
    fork(); // fork
#elif WHAT == 9
    reinterpret_cast<std::atomic<long> *>(nowhere)->store(1); // atomic crash
#endif
  }
};
static Thing thing;
static std::atomic<long> count;

TL_OP long next() { return count++; }
