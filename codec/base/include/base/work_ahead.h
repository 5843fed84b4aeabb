// work_ahead.h — threads that do small pieces of work, in the order in which they were posted, before the thread that
// posted them needs them: a pipeline beside one thread, with no copy of anything.
//
//     const auto ticket = helpers.post(job, 3);   // job(3), on one of the threads, soon
//     …                                           // meanwhile something else
//     helpers.need(ticket);                       // done; by the caller itself where nobody had begun it
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

// post(), need() and finish() from one thread; wait_for() from inside pieces; destroyed after finish(). Takes a lock
// only to wake threads that sleep, allocates nothing after it is made.
class WorkAhead {
 public:
  using Ticket = uint32_t;  // counts up, and wraps

  // `threads` besides the caller's, from 0 on: then post() does its piece at once. Fewer where the system has no more.
  explicit WorkAhead(int threads);
  ~WorkAhead();
  WorkAhead(const WorkAhead&) = delete;
  WorkAhead& operator=(const WorkAhead&) = delete;

  // Piece(index) will be called once, on any thread. It must not throw, and `piece` stays where it is until then. Where
  // kRoom pieces are under way the caller does some of them first.
  template <typename Piece>
  Ticket post(const Piece& piece, size_t index) {
    return post_call({[](const void* object, size_t i) { (*static_cast<const Piece*>(object))(i); }, &piece, index});
  }
  // Returns when that piece is done. Until then the caller does what nobody has begun, oldest first.
  void need(Ticket ticket);
  // Returns when all that was posted is done.
  void finish();
  // The same for one piece that was posted before the piece that asks. It ends: pieces are begun in order.
  void wait_for(Ticket ticket) const;

  int threads() const { return threads_.count(); }
  nanoseconds cpu_time() const { return threads_.cpu_time(); }  // that the threads have spent so far

 private:
  static constexpr Ticket kRoom = 1024;  // a power of two

  struct Call {
    void (*function)(const void* object, size_t index) = nullptr;
    const void* object = nullptr;
    size_t index = 0;
  };
  struct alignas(64) Place {
    Call call;
    std::atomic<Ticket> done{0};  // one past the latest ticket here that is done
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
  // Tickets never start over, so that a thread which was stopped between reading and claiming cannot mistake a new
  // piece for the one that it saw.
  alignas(64) std::atomic<Ticket> posted_{0};
  alignas(64) std::atomic<Ticket> begun_{0};
  alignas(64) std::atomic<int> sleeping_{0};
  std::mutex mutex_;
  std::condition_variable more_;
  bool ending_ = false;
  Ticket finished_ = 0;    // all before it are done, or older than kRoom; of the thread that posts
  HelperThreads threads_;  // last: they use all of the above
};

}  // namespace texcast
