// stream_state.h — what the server's thread and the threads of a stream share.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "transport/web_stream.h"
#include "viewer_queue.h"

namespace texcast::web {

struct Connection;

// The feedback that waits for the stream's owner. Thread-safe.
class FeedbackQueue {
 public:
  static constexpr size_t kMostWaiting = 4096;     // datagrams
  static constexpr size_t kMostOfOneViewer = 512;  // so that one viewer cannot keep the others' out

  void joined(ViewerId viewer, const transport::PeerAddress& from, SteadyTime now);
  void left(ViewerId viewer, const transport::PeerAddress& from, SteadyTime now);
  // False: too many wait. `waiting` counts those of this viewer, and belongs to the caller.
  struct Waiting {
    uint64_t turn = 0;
    size_t count = 0;
  };
  bool datagram(ViewerId viewer, const transport::PeerAddress& from, Channel channel, Bytes bytes, SteadyTime now,
                Waiting& waiting);
  // Nobody takes feedback: no more viewers are let in.
  bool full() const;
  // Calls the function that on_feedback() set, if anything was added since the last call.
  void notify();

  void on_feedback(std::function<void()> wake);
  void take(const Stream::OnFeedback& sink);

 private:
  struct Kept {
    Stream::Feedback feedback;
    std::vector<std::byte> bytes;
  };
  void add(Stream::Feedback feedback);

  mutable std::mutex mutex_;
  std::vector<Kept> waiting_;
  size_t datagrams_ = 0;
  uint64_t turn_ = 0;  // of take()
  bool news_ = false;
  std::mutex wake_mutex_;  // held while wake_ runs
  std::function<void()> wake_;
};

struct StreamState {
  StreamState(StreamOffer what, const Limits& limits)
      : offer(std::move(what)), limit(limits.least_queue_bytes, limits.most_queue_bytes) {}

  // Any thread.
  std::atomic<size_t> viewers = 0;
  std::atomic<bool> ended = false;
  FeedbackQueue feedback;

  // The server's thread only.
  StreamOffer offer;
  QueueLimit limit;
  std::vector<Connection*> watching;
};

}  // namespace texcast::web
