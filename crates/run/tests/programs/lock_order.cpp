// Two locks that are taken in both orders.
#include <mutex>
#include <trueline.h>
static std::mutex a, b;
TL_OP void forth() { std::lock_guard<std::mutex> x(a), y(b); }
TL_OP void back() { std::lock_guard<std::mutex> x(b), y(a); }
