// work_ahead.h — threads that do small pieces of work in the order in which they were posted, before the posting thread
// needs them: a pipeline beside one thread that copies nothing.
//
//     const auto ticket = helpers.post(job, 3);   // job(3), on one of the threads, soon
//     …                                           // meanwhile something else
//     helpers.need(ticket);                       // done; by the caller itself if no thread had begun it
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>

#include "base/helper_threads.h"
#include "texcast/frame_times.h"

namespace texcast {

// Call post(), need() and finish() on one thread, and wait_for() inside pieces. Call finish() before the destructor.
// Takes a lock only to wake sleeping threads, and allocates only in the constructor.
class WorkAhead {
 public:
  using Ticket = uint32_t;  // counts up, and wraps

  // `threads` does not count the caller's. With 0, post() does its piece at once. There are fewer if the system has no
  // more.
  explicit WorkAhead(int threads);
  ~WorkAhead();
  WorkAhead(const WorkAhead&) = delete;
  WorkAhead& operator=(const WorkAhead&) = delete;

  // Piece(index) will be called once, on any thread. It must not throw, and `piece` must not move until then. If kRoom
  // pieces are pending, the caller does some of them first.
  template <typename Piece>
  Ticket post(const Piece& piece, size_t index) {
    return post_call({[](const void* object, size_t i) { (*static_cast<const Piece*>(object))(i); }, &piece, index});
  }
  // Returns when that piece is done. Until then the caller does pieces that no thread has begun, oldest first.
  void need(Ticket ticket);
  // Returns when all posted pieces are done.
  void finish();
  // As need(), called by a piece for one that was posted before it. It cannot deadlock, as pieces begin in order.
  void wait_for(Ticket ticket) const;

  int threads() const { return threads_.count(); }
  nanoseconds cpu_time() const { return threads_.cpu_time(); }  // spent by the threads so far

 private:
  static constexpr Ticket kRoom = 1024;  // a power of two

  struct Call {
    void (*function)(const void* object, size_t index) = nullptr;
    const void* object = nullptr;
    size_t index = 0;
  };
  struct alignas(64) Place {
    Call call;
    std::atomic<Ticket> done{0};  // one past the latest ticket in this place that is done
  };

  Ticket post_call(const Call& call);
  bool take_one();
  void serve();
  void wake_one();
  Place& place(Ticket ticket) const { return places_[ticket % kRoom]; }
  bool is_done(Ticket ticket) const {
    return static_cast<int32_t>(place(ticket).done.load(std::memory_order_acquire) - ticket) > 0;
  }

  std::unique_ptr<Place[]> places_;
  // Tickets never start over, so that a thread that was interrupted between reading and claiming cannot mistake a new
  // piece for the one that it saw.
  alignas(64) std::atomic<Ticket> posted_{0};
  alignas(64) std::atomic<Ticket> begun_{0};
  alignas(64) std::atomic<int> sleeping_{0};
  std::mutex mutex_;
  std::condition_variable more_;
  bool ending_ = false;
  Ticket finished_ = 0;    // all before it are done, or older than kRoom; used by the posting thread
  HelperThreads threads_;  // last: they use the members above
};

}  // namespace texcast
