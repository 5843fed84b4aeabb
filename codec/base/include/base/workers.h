// workers.h — a few threads that share the iterations of a loop, for work that recurs every frame.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>

#include "texcast/frame_times.h"

namespace texcast {

// Thread-safe. parallel_for never allocates. It may be called on several threads, and inside an item: a caller that
// finds the workers busy does all its items itself. The destructor waits for the threads, which must be idle by then.
class Workers {
 public:
  // One per processor except the caller's, and no more than the chunks of a frame can use.
  static int suggested_threads();

  // `threads` does not count the calling one. With 0, callers do everything themselves.
  explicit Workers(int threads = suggested_threads());
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  // Calls item(0) to item(count - 1), each once, in no order, on the workers and the calling thread. Returns when all
  // are done. Rethrows the first exception of an item, and then skips the items that were not begun.
  template <typename Item>
  void parallel_for(size_t count, const Item& item) {
    run({count, &item, [](const void* object, size_t i) { (*static_cast<const Item*>(object))(i); }});
  }

  // While an object of this class lives, threads wait actively for a short time after each loop. It is for a part of a
  // frame in which short loops follow each other, as a thread that sleeps wakes later than some loops end. Ineffective
  // on machines with no more processors than threads.
  class Awake {
   public:
    explicit Awake(Workers& workers) : workers_(workers) { workers_.stay_awake(1); }
    ~Awake() { workers_.stay_awake(-1); }
    Awake(const Awake&) = delete;
    Awake& operator=(const Awake&) = delete;

   private:
    Workers& workers_;
  };

  // Wakes the threads shortly before a loop, so that it finds them awake. Ineffective without an Awake object.
  void wake();

  int threads() const;
  nanoseconds cpu_time() const;  // spent by the threads so far, without callers

 private:
  struct Loop {
    size_t count = 0;
    const void* object = nullptr;
    void (*call)(const void* object, size_t i) = nullptr;
  };
  void run(const Loop& loop);
  void stay_awake(int more);

  class Threads;  // workers.cpp; workers_serial.cpp has none, for targets without threads
  std::unique_ptr<Threads> threads_;
};

// The same for items that take less than a microsecond: each thread takes several of them at once.
template <typename Item>
void for_chunks(Workers& workers, size_t count, const Item& item) {
  constexpr size_t kItems = 64;
  workers.parallel_for((count + kItems - 1) / kItems, [&](size_t chunk) {
    const size_t end = std::min((chunk + 1) * kItems, count);
    for (size_t i = chunk * kItems; i < end; ++i) item(i);
  });
}

}  // namespace texcast
