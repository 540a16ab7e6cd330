// Memory that is copied as a whole, and accessed by parts beyond its first 32 bytes.
#include <pthread.h>
#include <string.h>
#include <trueline.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long shared[6];

TL_OP void put(long v) {
    long mine[6] = {v, v, v, v, v, v};
    pthread_mutex_lock(&mutex);
    memcpy(shared, mine, sizeof shared);
    pthread_mutex_unlock(&mutex);
}

TL_OP long last(void) {
    pthread_mutex_lock(&mutex);
    long v = shared[5];
    pthread_mutex_unlock(&mutex);
    return v;
}
