// A table that whoever comes first makes; with -DFORGETS the others do not wait for it.
#include <atomic>
#include <mutex>
#include <trueline.h>

static std::once_flag made;
static std::atomic<int> makers;
static int table;

static void make() {
  makers++;
  table = 7;
}

TL_OP int use() {
#ifdef FORGETS
  if (makers == 0) std::call_once(made, make);
#else
  std::call_once(made, make);
#endif
  return table * 10 + makers;
}
