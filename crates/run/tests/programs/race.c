/* A counter without any synchronisation. */
#include <trueline.h>
static long count;
TL_INIT void init(void) { count = 0; }
TL_OP long inc(void) { return ++count; }
TL_SPEC("counter");
