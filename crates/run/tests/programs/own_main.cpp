// Programs with their own main; WHAT says which.
#include <cassert>
#include <mutex>
#include <pthread.h>
#include <atomic>
#include <thread>
#include <trueline.h>
#include <vector>

static std::atomic<long> count;

static long step() {
#if WHAT == 1
  long old = count.load();
  count.store(old + 1);
  return old + 1;
#else
  return count.fetch_add(1) + 1;
#endif
}

static void *work(void *argument) {
  TL_CALL("inc");
  long now = step();
  TL_RETURN(now);
  return argument;
}

#if WHAT <= 2
int main() {
  pthread_t threads[2];
  for (pthread_t &t : threads) pthread_create(&t, nullptr, work, &t);
  for (pthread_t &t : threads) {
    void *answer;
    pthread_join(t, &answer);
    assert(answer == &t);
  }
  work(nullptr);
  return 0;
}
#elif WHAT == 3
int main() {
  std::mutex a, b;
  std::thread other([&] { std::scoped_lock first(a); std::scoped_lock second(b); });
  { std::scoped_lock first(b); std::scoped_lock second(a); }
  other.join();
}
#elif WHAT == 4
int main() {
  int plain = 0;
  std::thread one([&] { plain++; }), two([&] { plain++; });
  one.join();
  two.join();
  return plain == 2 ? 0 : 3;
}
#elif WHAT == 5
int main() {
  int plain = 0;
  std::thread one([&] { plain = 1; });
  one.join();
  std::thread two([&] { plain = plain + 1; });
  two.join();
  assert(plain == 2);
}
#elif WHAT == 6
int main() {
  std::thread one([] { for (;;) { TL_CALL("inc"); TL_RETURN(1); if (count.load()) break; } });
  count.store(1);
  one.join();
}
#elif WHAT == 7
int main() {
  std::thread one([] { count.store(1); });
  one.detach();
}
#elif WHAT == 8
// What the list of threads leaves is used again for what a thread is given.
int main() {
  std::vector<std::thread> all;
  for (int i = 0; i < 3; i++) all.emplace_back([] { long old = count; count = old + 1; });
  for (std::thread &one : all) one.join();
  assert(count > 1);
}
#endif
