// A queue with an operation that waits for a value and one that does not. -DLOSES: enq forgets a value that is put in while
// somebody else has put one in.
#include <condition_variable>
#include <deque>
#include <mutex>
#include <trueline.h>
struct Queue {
  std::mutex m;
  std::condition_variable c;
  std::deque<long> q;
  bool busy = false;
};
static Queue *queue;
TL_INIT void init() { queue = new Queue; }
TL_OP void enq(long v) {
  {
    std::lock_guard<std::mutex> g(queue->m);
#ifdef LOSES
    if (queue->busy) return;
    queue->busy = true;
#endif
  }
  std::lock_guard<std::mutex> g(queue->m);
  queue->busy = false;
  queue->q.push_back(v);
  queue->c.notify_one();
}
TL_OP long deq() {
  std::unique_lock<std::mutex> g(queue->m);
  while (queue->q.empty()) queue->c.wait(g);
  long v = queue->q.front();
  queue->q.pop_front();
  return v;
}
TL_OP bool try_deq(long &v) {
  std::lock_guard<std::mutex> g(queue->m);
  if (queue->q.empty()) return false;
  v = queue->q.front();
  queue->q.pop_front();
  return true;
}
