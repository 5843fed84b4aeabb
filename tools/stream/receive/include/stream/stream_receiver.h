// stream_receiver.h — the receiving thread: datagrams through a session to whole frames, copied once into pooled
// memory, then to the recording and to whoever shows them.
#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "base/latency.h"
#include "stream/datagrams.h"
#include "stream/frame_pool.h"
#include "stream/mailbox.h"
#include "stream/recording.h"
#include "transport/receive_session.h"
#include "transport/stream.h"

namespace texcast::stream {

// What has happened so far; a copy, taken at one moment.
struct StreamStatus {
  transport::ReceiveCounters counters;
  transport::Refusal refusal = transport::Refusal::none;  // of the latest packet that was refused
  std::optional<transport::StreamDesc> stream;
  uint64_t frames = 0;              // passed on
  uint64_t frames_unsupported = 0;  // of a format or size that we do not show
  uint64_t frames_unbuffered = 0;   // no free memory: both the screen and the disk were too slow
  uint64_t concealed_blocks = 0;    // never arrived, of the frames passed on
  std::optional<SteadyTime> first_frame, last_frame;
  transport::ReceiveCounters at_last_frame;  // what had come by then
  uint64_t unsupported_at_last_frame = 0;
  double network_ms[2] = {};   // sent to first packet, p50 and p95; only between clocks that agree
  double assemble_ms[2] = {};  // first packet to whole frame
};

// What a refused stream is, and what to do, in one line.
const char* advice(transport::Refusal refusal);

class StreamReceiver : private DatagramSink {
 public:
  // Called on the receiving thread, in order. `fps` is the stream's nominal rate.
  using OnFrame = std::function<void(const FrameRef& frame, double fps)>;

  // The queue of the recording, those that wait for their time, the frame shown, the one being filled, and some slack.
  static constexpr size_t kPoolFrames = Recording::kQueueFrames + Mailbox::kPlaces + 6;

  // Called on the receiving thread for a large frame that is still coming: once it has begun, and as it grows
  // (PooledFrame::ready_bytes). It may never become whole.
  using OnComing = std::function<void(const FrameRef& frame)>;
  static constexpr size_t kLargeFrame = size_t{2} << 20, kGrowth = size_t{1} << 20;

  // Starts at once. `pool` and what the callbacks use must outlive this.
  StreamReceiver(std::unique_ptr<DatagramSource> source, FramePool& pool, OnFrame on_frame,
                 const transport::ReceiveSettings& settings = {}, OnComing on_coming = {});
  ~StreamReceiver();
  StreamReceiver(const StreamReceiver&) = delete;
  StreamReceiver& operator=(const StreamReceiver&) = delete;

  StreamStatus status() const;
  bool ended() const { return ended_.load(std::memory_order_acquire); }  // a capture's end, or a failure
  // Ends the thread; throws what it met (a recording that could not be written).
  void stop();

 private:
  void on_datagram(Bytes datagram, const Instant& arrived, const transport::PeerAddress& from) override;
  void run();
  void drain(const Instant& now);
  void pass_on(const transport::ReceivedFrame& frame, SteadyTime now);
  void follow();
  bool begin_coming(const transport::FrameProgress& progress);
  void update_status();
  void tell_refusal();

  std::unique_ptr<DatagramSource> source_;
  FramePool& pool_;
  OnFrame on_frame_;
  OnComing on_coming_;
  transport::ReceiveSession session_;
  transport::PeerAddress from_{};  // whoever sends the stream
  FrameRef coming_;                // the next frame, as far as it is there
  uint64_t coming_id_ = 0;         // FrameProgress::id
  size_t coming_bytes_ = 0;
  size_t told_bytes_ = 0;  // by on_coming_
  uint64_t kernel_drops_ = 0;
  std::optional<transport::StreamDesc> refused_;  // named once
  transport::Refusal told_refusal_ = transport::Refusal::none;
  LatencyWindow network_, assemble_;
  SteadyTime next_percentiles_{};

  mutable std::mutex mutex_;
  StreamStatus status_;
  std::exception_ptr failure_;
  std::atomic<bool> stopping_ = false;
  std::atomic<bool> ended_ = false;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace texcast::stream
