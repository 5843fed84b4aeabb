// workers.h — a few threads that share the items of one loop, for work that comes every frame.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>

#include "base/helper_threads.h"
#include "texcast/frame_times.h"

namespace texcast {

// Thread-safe. parallel_for never allocates. It may be called from several threads, and from inside an item: whoever
// finds the workers busy does its items alone. The destructor waits for the threads, which have nothing to do then.
class Workers {
 public:
  // One a processor but for the caller's, and no more than a frame's chunks can use.
  static int suggested_threads();

  // `threads` besides the calling one, from 0 (callers do everything themselves) on.
  explicit Workers(int threads = suggested_threads());
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  // Calls item(0) to item(count - 1), each once, in no order, on the workers and the calling thread; returns when all
  // are done. The first exception of an item is thrown on here; items not yet begun are then left out.
  template <typename Item>
  void parallel_for(size_t count, const Item& item) {
    run({count, &item, [](const void* object, size_t i) { (*static_cast<const Item*>(object))(i); }});
  }
  int threads() const { return threads_.count(); }
  nanoseconds cpu_time() const { return threads_.cpu_time(); }  // that the threads, without callers, have spent so far

 private:
  struct Loop {
    size_t count = 0;
    const void* object = nullptr;
    void (*call)(const void* object, size_t i) = nullptr;
  };
  void run(const Loop& loop);
  void take_items();
  void serve();

  std::atomic<bool> busy_{false};  // one loop at a time
  std::atomic<size_t> next_{0};    // item
  std::mutex mutex_;               // of what follows
  std::condition_variable begun_;  // to the workers
  std::condition_variable left_;   // to the caller: helping_ fell to 0
  Loop loop_;                      // written while nobody helps
  bool open_ = false;              // workers may join
  int helping_ = 0;                // workers inside loop_
  std::exception_ptr failure_;
  bool ending_ = false;
  HelperThreads threads_;  // last: they use all of the above
};

}  // namespace texcast
