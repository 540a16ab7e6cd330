// boost::lockfree::queue, unmodified (Debian package libboost-dev).
#include <boost/lockfree/queue.hpp>
#include <trueline.h>

static boost::lockfree::queue<long> *queue;

TL_SPEC("queue");
TL_INIT void init() { queue = new boost::lockfree::queue<long>(4); }
TL_OP void enq(long value) { queue->push(value); }
TL_OP bool deq(long &value) { return queue->pop(value); }
