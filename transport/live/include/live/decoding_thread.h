// decoding_thread.h — frames from the receiving thread to where they are decoded and handed out: on a thread of its
// own, behind a bounded queue, so that no frame, however long it takes, keeps datagrams waiting in the socket.
//
//   receiving thread ──put()──► queue ──► handle() on this thread: decode, hand out
//
// A frame that its sender cannot afford (decoding_budget.h) waits at the head of the queue until it can. When the queue
// is full, the oldest frame is dropped and counted; the stream heals as after a loss.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "base/loop_thread.h"
#include "live/block_pool.h"
#include "live/decoding_budget.h"
#include "transport/compact_packet.h"
#include "transport/receive_session.h"

namespace texcast::stream {

// Facts about a frame that the receiving thread adds to those of the session.
struct FrameOrigin {
  TextureDesc texture{};
  size_t texture_bytes = 0;
  SteadyTime arrived{};                   // whole, or the rest given up
  transport::PeerAddress from{};          // the sender that was followed then
  transport::ReceiveCounters counters{};  // what had come by then
  uint64_t unsupported = 0;               // frames, by then
};

// One of three: a compact frame; a frame that needs no decoding (`ready`); sums to compare with (`sums`).
struct QueuedFrame {
  // As the session gave it out, but for `bytes` and `concealed`, which are empty; `payloads` are this one's own memory.
  transport::ReceivedFrame frame{};
  FrameOrigin origin{};
  FrameRef ready{};
  std::optional<transport::TileSums> sums{};

  bool is_frame() const { return !sums; }
  bool needs_decoding() const { return !sums && !ready; }
  size_t bytes() const { return memory_.size(); }
  // The most work that decoding it may take, as DecodingBudget counts.
  size_t most_work();

  void take(const transport::ReceivedFrame& given, const FrameOrigin& from);
  void take(const transport::TileSums& given);
  void clear();  // but for its memory, which the next one uses

 private:
  std::vector<std::byte> memory_;
  std::vector<Bytes> payloads_;
  std::optional<size_t> most_work_{};
};

// put…(), follow(), trust(), pass(), idle() and finish() on the receiving thread; close(), stop() and dropped() on any.
class DecodingThread {
 public:
  static constexpr size_t kMostFrames = 32;  // that wait: half a second at 60 a second
  static constexpr size_t kMostBytes = size_t{32} << 20;

  // Returns how much work it took. An exception ends the thread and is rethrown by rethrow_failure().
  using Handle = std::function<size_t(QueuedFrame& frame)>;
  // `is_limited`: by what a sender may cause. `at_end`: the last that the thread does, whyever it ends.
  DecodingThread(bool is_limited, Handle handle, std::function<void()> at_end);
  ~DecodingThread();

  void put(const transport::ReceivedFrame& frame, const FrameOrigin& origin);
  // A frame of another kind of stream, which must not overtake those that wait.
  void put_ready(FrameRef ready, const transport::ReceivedFrame& frame, const FrameOrigin& origin);
  void put_sums(const transport::TileSums& sums);

  void follow();              // another sender is followed: frames of the one before are dropped
  void trust();               // the sender that is followed is
  void pass(SteadyTime now);  // so late it is
  bool idle() const;          // nothing waits, and handle() has returned
  void finish();              // waits until all has been handled that may be; throws what handle() threw
  void rethrow_failure() const { thread_.rethrow_failure(); }
  std::exception_ptr failure() const { return thread_.failure(); }
  uint64_t dropped() const;  // frames

  void close();  // finish() waits no longer, and nothing more is handled
  void stop();   // the same, and waits for the thread

 private:
  using Place = std::unique_ptr<QueuedFrame>;
  Place free_place();
  void enqueue(Place place);
  bool is_full(size_t bytes) const;
  bool affords(QueuedFrame& frame) const;
  void drop_oldest();
  Place take_oldest();
  void run(const std::stop_token& stop);

  const Handle handle_;
  mutable std::mutex mutex_;             // of what follows
  std::condition_variable_any changed_;  // to the thread: there may be something to handle
  std::condition_variable handled_;      // to finish(): a frame was handled, or the thread has ended
  std::vector<Place> queue_;             // the oldest first
  size_t queued_bytes_ = 0;
  std::vector<Place> free_;  // the one used last at the end: its memory is warm, and others stay small
  bool is_handling_ = false;
  bool begins_anew_ = false;  // a frame was dropped that began a stream: the next one does
  bool is_ending_ = false;    // finish() waits
  bool has_ended_ = false;
  uint64_t dropped_ = 0;
  DecodingBudget budget_;
  LoopThread thread_;  // last: it uses the above
};

}  // namespace texcast::stream
