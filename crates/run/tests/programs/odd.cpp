// Things that programs do: each is chosen by -DWHAT=n.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <stdexcept>
#include <sys/syscall.h>
#include <trueline.h>
#include <unistd.h>
static std::atomic<int> x;
static int *nowhere;
static int deep(volatile int n) { volatile char room[4096]; room[n % 4096] = 1; return deep(n + 1) + room[0]; }
TL_INIT void init() { x = 0; }
TL_OP int act() {
  int seen = x.fetch_add(1);
#if WHAT == 1
  if (seen == 1) throw std::runtime_error("second");
#elif WHAT == 2
  if (seen == 1) exit(3);
#elif WHAT == 3
  if (seen == 1) fork();
#elif WHAT == 4
  if (seen == 1) return deep(1);
#elif WHAT == 5
  printf("hello\n");
#elif WHAT == 6
  if (time(nullptr) == 0 || rand() == -1) return 7;
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (now.tv_nsec % 2) return 7;
#elif WHAT == 7
  if (seen == 1) *nowhere = 1;
#elif WHAT == 8
  if (seen == 1) abort();
#elif WHAT == 9
  if (seen == 1) for (;;) { }
#elif WHAT == 10
  char *block = new char[16];
  if (seen == 1) block[20] = 1;
  delete[] block;
#elif WHAT == 11
  static int count = 41;
  if (seen == 1) throw 1;
  return count;
#elif WHAT == 12
  if (seen == 1) return system("sleep 100");
#elif WHAT == 13
  if (seen == 1) return syscall(SYS_fork);
#elif WHAT == 14 || WHAT == 15
  // The first byte behind, though blocks begin at multiples of sixteen; the last one inside.
  char *block = new char[24];
  if (seen == 1) block[WHAT == 14 ? 24 : 23] = 1;
  delete[] block;
#endif
  return seen;
}
