// What each thread keeps for itself is looked at after the threads: it differs where what they share does not.
#include <stdatomic.h>
#include <stdlib.h>
#include <trueline.h>

static _Atomic long shared;
static long kept[4];
static long *blocks[4];

TL_INIT void init(void) {
  shared = 0;
  for (int i = 0; i < 4; i++) {
    kept[i] = 0;
    blocks[i] = 0;
  }
}

TL_OP void put(long value) { atomic_store(&shared, value); }

TL_OP void keep(int mine) { kept[mine & 3] = atomic_load(&shared); }

TL_OP void keep_block(int mine) {
  long *block = malloc(sizeof *block);
  *block = atomic_load(&shared);
  blocks[mine & 3] = block;
}

TL_OP long look(void) {
  long all = 0;
  for (int i = 0; i < 4; i++) all = all * 10 + kept[i] + (blocks[i] ? *blocks[i] : 0);
  return all;
}
