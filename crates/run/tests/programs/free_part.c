// One thread reads the second half of a block, another frees the block without a look at it.
#include <stdlib.h>
#include <trueline.h>

struct pair {
  long first, second;
};
static struct pair *pair;

TL_INIT void init(void) {
  pair = malloc(sizeof *pair);
  pair->first = 1;
  pair->second = 2;
}

TL_OP long look(void) { return pair->second; }
TL_OP void drop_it(void) { free(pair); }
