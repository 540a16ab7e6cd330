// boost::lockfree::stack, unmodified (Debian package libboost-dev).
#include <boost/lockfree/stack.hpp>
#include <trueline.h>

static boost::lockfree::stack<long> *stack;

TL_SPEC("stack");
TL_INIT void init() { stack = new boost::lockfree::stack<long>(4); }
TL_OP void push(long value) { stack->push(value); }
TL_OP bool pop(long &value) { return stack->pop(value); }
