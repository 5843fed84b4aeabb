// connection.h — one TCP connection of a browser. Used by the server's thread only.
#pragma once

#include <libwebsockets.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "messages.h"
#include "stream_state.h"
#include "viewer_queue.h"

namespace texcast::web {

// A viewer's figures, which other threads read.
struct ViewerFigures {
  ViewerId id = 0;
  std::string address{};
  SteadyTime since{};
  std::atomic<uint64_t> sent_datagrams = 0, sent_bytes = 0, dropped_datagrams = 0, dropped_bytes = 0;
  std::atomic<uint64_t> feedback_datagrams = 0, refused_feedback = 0;
  std::atomic<size_t> queued_bytes = 0;
  std::mutex mutex{};
  std::string stream{};  // protected by mutex
};

// Messages that a viewer may send: `per_second` on average, and as many at once.
class RateLimit {
 public:
  enum class Verdict { accept, drop, abuse };
  explicit RateLimit(int per_second) : per_second_(per_second), left_(per_second) {}
  Verdict take(SteadyTime now);

 private:
  const double per_second_;
  double left_;
  double excess_ = 0;
  SteadyTime last_{};
};

struct Connection {
  lws* wsi = nullptr;
  int socket = -1;  // owned by libwebsockets
  transport::PeerAddress from{};
  SteadyTime deadline = SteadyTime::max();  // it is closed then
  // While a file of the page is sent.
  Bytes file{};
  // A WebSocket:
  std::vector<std::byte> received{};  // the parts of a message so far
  ViewerQueue queue{};
  bool write_requested = false;
  SteadyTime path_checked{};  // when congestion was checked last
  bool congested = false;
  SteadyTime progress{};    // when something was accepted last, or began to wait
  uint16_t close_code = 0;  // not 0: it is closed when the queue is empty
  // A viewer, since its welcome:
  ViewerId viewer = 0;  // 0: none
  Hello hello{};
  std::string resume{}, link_holder{};
  std::shared_ptr<StreamState> stream{};  // null: it waits for one
  std::shared_ptr<ViewerFigures> figures{};
  FeedbackQueue::Waiting feedback{};
  RateLimit rate;
};

}  // namespace texcast::web
