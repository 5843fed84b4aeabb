// decoding_thread.h — passes frames from the receiving thread to a thread that decodes and delivers them, through a
// bounded queue, so that slow decoding does not keep datagrams waiting in the socket.
//
//   receiving thread ──put()──► queue ──► handle() on this thread: decode, deliver
//
// A frame that exceeds its sender's budget (decoding_budget.h) waits at the head of the queue until the budget
// suffices. If the queue is full, the oldest frame is dropped and counted; the stream recovers as from loss.
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
#include "live/decoding_budget.h"
#include "textures/block_pool.h"
#include "transport/compact_packet.h"
#include "transport/receive_session.h"

namespace texcast::stream {

// Information about a frame that the receiving thread adds to the session's.
struct FrameOrigin {
  TextureDesc texture{};
  size_t texture_bytes = 0;
  SteadyTime arrived{};                   // complete, or its missing packets given up
  transport::PeerAddress from{};          // the sender selected at that time
  transport::ReceiveCounters counters{};  // as of that time
  uint64_t unsupported = 0;               // frames, as of that time
};

// One of three: a coded frame; a frame that needs no decoding (`ready`); checksums to compare (`sums`).
struct QueuedFrame {
  // As the session delivered it, except that `bytes` and `concealed` are empty; `payloads` are copies in memory_.
  transport::ReceivedFrame frame{};
  FrameOrigin origin{};
  FrameRef ready{};
  std::optional<transport::TileSums> sums{};

  bool is_frame() const { return !sums; }
  bool needs_decoding() const { return !sums && !ready; }
  size_t bytes() const { return memory_.size(); }
  // Upper bound of the work to decode it, in DecodingBudget's unit.
  size_t most_work();

  void take(const transport::ReceivedFrame& given, const FrameOrigin& from);
  void take(const transport::TileSums& given);
  void clear();  // keeps its memory for the next frame

 private:
  std::vector<std::byte> memory_;
  std::vector<Bytes> payloads_;
  std::optional<size_t> most_work_{};
};

// Call put…(), select(), trust(), pass(), idle() and finish() on the receiving thread; close(), stop() and dropped() on
// any.
class DecodingThread {
 public:
  static constexpr size_t kMostFrames = 32;  // queued: half a second at 60 frames a second
  static constexpr size_t kMostBytes = size_t{32} << 20;

  // Returns the work done. An exception ends the thread and is rethrown by rethrow_failure().
  using Handle = std::function<size_t(QueuedFrame& frame)>;
  // `is_limited`: by the budget of unproven senders. `at_end` is called last, whatever ends the thread. `prepare` is
  // called on the thread until it returns false, while no frame waits; it may be empty.
  DecodingThread(bool is_limited, Handle handle, std::function<void()> at_end, std::function<bool()> prepare = {});
  ~DecodingThread();

  void put(const transport::ReceivedFrame& frame, const FrameOrigin& origin);
  // A frame of a raw stream, which must not overtake those in the queue.
  void put_ready(FrameRef ready, const transport::ReceivedFrame& frame, const FrameOrigin& origin);
  void put_sums(const transport::TileSums& sums);

  void select();              // another sender was selected: drops the previous one's frames
  void trust();               // the selected sender was validated
  void pass(SteadyTime now);  // advances the budget's time
  bool idle() const;          // the queue is empty, and handle() has returned
  void finish();              // waits until every permitted frame was handled; throws what handle() threw
  void rethrow_failure() const { thread_.rethrow_failure(); }
  std::exception_ptr failure() const { return thread_.failure(); }
  uint64_t dropped() const;  // frames

  void close();  // ends finish()'s wait; nothing more is handled
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
  void prepare(std::unique_lock<std::mutex>& lock, const std::stop_token& stop);

  const Handle handle_;
  std::function<bool()> prepare_;        // belongs to the thread; empty: everything is prepared
  mutable std::mutex mutex_;             // protects the following
  std::condition_variable_any changed_;  // to the thread: there may be something to handle
  std::condition_variable handled_;      // to finish(): a frame was handled, or the thread has ended
  std::vector<Place> queue_;             // oldest first
  size_t queued_bytes_ = 0;
  std::vector<Place> free_;  // the last one was used last: its memory is warm, and the others stay small
  bool is_handling_ = false;
  bool begins_anew_ = false;  // a dropped frame began a stream, so the next one does
  bool is_ending_ = false;    // finish() waits
  bool has_ended_ = false;
  uint64_t dropped_ = 0;
  DecodingBudget budget_;
  LoopThread thread_;  // last: it uses the above
};

}  // namespace texcast::stream
