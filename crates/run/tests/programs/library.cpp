// Containers of the C++ library behind a lock, which are partly compiled in advance. -DCARELESS looks before it locks,
// -DSTALE keeps an iterator.
#include <list>
#include <mutex>
#include <set>
#include <trueline.h>

static std::list<long> *list;
static std::set<long> *set;
static std::mutex mutex;

TL_INIT void init() {
  list = new std::list<long>;
  set = new std::set<long>;
}
TL_DONE void done() {
  delete list;
  delete set;
}

TL_OP void put(long value) {
  std::lock_guard<std::mutex> guard(mutex);
  list->push_back(value);
  set->insert(value);
}

TL_OP long take() {
#ifdef CARELESS
  {
    std::lock_guard<std::mutex> guard(mutex);
    if (list->empty()) return -1;
  }
#endif
  std::lock_guard<std::mutex> guard(mutex);
  if (list->empty()) return -2;
  long value = list->front();
  list->pop_front();
  set->erase(value);
  return set->count(value) ? -3 : value;
}

#ifdef STALE
TL_OP bool drop(long value) {
  std::set<long>::iterator at;
  {
    std::lock_guard<std::mutex> guard(mutex);
    at = set->find(value);
    if (at == set->end()) return false;
  }
  std::lock_guard<std::mutex> guard(mutex);
  set->erase(at); // may be gone
  return true;
}
#endif
