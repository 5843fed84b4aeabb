// receiving_thread.h — the receiving thread: datagrams through a session, which puts them together in the pool's
// memory, to whole frames, which the recording and whoever shows them share. Frames of compact streams are decoded on a
// thread beside it (decoding_thread.h).
#pragma once

#include <algorithm>
#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "base/latency.h"
#include "base/line_limit.h"
#include "live/block_pool.h"
#include "live/compact_reception.h"
#include "live/cursor_view.h"
#include "live/datagrams.h"
#include "live/decoding_thread.h"
#include "live/payload_decoder.h"
#include "live/source_validation.h"
#include "transport/receive_session.h"
#include "transport/stream.h"

namespace texcast::stream {

// What has happened so far; a copy, taken at one moment.
struct StreamStatus {
  transport::ReceiveCounters counters;
  transport::Refused refusal{};  // of the latest packet that was refused
  std::optional<transport::StreamDesc> stream;
  transport::PeerAddress sender{};  // that is followed
  uint64_t frames = 0;              // passed on
  uint64_t frames_unsupported = 0;  // of a format or size that we do not show
  uint64_t frames_unbuffered = 0;   // no free memory: the screen or the disk was too slow
  uint64_t frames_undecoded = 0;    // decoding was too slow, or more than their sender may have done (DecodingBudget)
  uint64_t frames_concealed = 0;    // of those passed on: with blocks that are not theirs
  uint64_t concealed_blocks = 0;    // those, all together
  std::optional<SteadyTime> first_frame, last_frame;
  transport::ReceiveCounters at_last_frame;  // what had come by then
  uint64_t unsupported_at_last_frame = 0;
  std::optional<CompactReceived> compact{};  // of a compact stream
  double network_ms[2] = {};                 // sent to first packet, p50 and p95; only between clocks that agree
  double assemble_ms[2] = {};                // first packet to whole frame
};

// What is worth telling of a stream besides its figures. Called on the receiving thread.
class ReceptionEvents {
 public:
  virtual ~ReceptionEvents() = default;
  virtual void on_refused(const transport::Refused& /*refused*/) {}  // each time that it is something else
  virtual void on_takeover(const transport::FollowedSender& /*before*/, const transport::FollowedSender& /*now*/) {}
  virtual void on_too_large(const transport::ReceiveCounters& /*counters*/) {}  // once
  // Whose frame is passed on, each time that it is another host's: of a frame of which most has come. On the thread
  // that passes it on (OnFrame).
  virtual void on_picture_sender(const transport::PeerAddress& /*from*/) {}
  virtual void on_cursor(const Cursor& /*cursor*/) {}  // the pointer beside the picture: each time that it has changed
};

// Largest pictures of `width` x `height`, as large as textures can be; 0: sixteen megapixels of any shape. No more
// bytes than these can have either.
void limit_pictures(transport::ReceiveSettings& settings, int width = 0, int height = 0);

class ReceivingThread : private DatagramSink {
 public:
  // Called in order, one at a time: of compact streams on the decoding thread, of others on the receiving thread. `fps`
  // is the stream's nominal rate.
  using OnFrame = std::function<void(const FrameRef& frame, double fps)>;

  // Of a pool: the frames of the session, and some slack. Whoever keeps frames adds those.
  static constexpr size_t kOwnFrames = transport::ReceiveSession::kMostLoans + 6;

  // Of a pool's memory: what came must not take what the machine has. A large picture more than eight times.
  static size_t pool_bytes(const transport::ReceiveSettings& settings) {
    return std::max(size_t{1} << 30, 8 * settings.max_frame_bytes);
  }

  // Called on the receiving thread for a large frame that is still coming, each time that it has grown by kGrowth
  // (PooledFrame::ready_bytes). It may never become whole, and then is not passed on.
  using OnComing = std::function<void(const FrameRef& frame)>;
  static constexpr size_t kLargeFrame = size_t{2} << 20, kGrowth = size_t{1} << 20;

  // Starts at once. `pool`, `events`, `decoder` and what the callbacks use must outlive this. Without a decoder compact
  // streams are decoded by a CompactReception of its own.
  // settings.request_lost is found out from the source. `device`: of that CompactReception.
  ReceivingThread(std::unique_ptr<DatagramSource> source, BlockPool& pool, OnFrame on_frame,
                  const transport::ReceiveSettings& settings = {}, OnComing on_coming = {},
                  ReceptionEvents* events = nullptr, PayloadDecoder* decoder = nullptr,
                  std::optional<std::string> device = {});
  ~ReceivingThread();
  ReceivingThread(const ReceivingThread&) = delete;
  ReceivingThread& operator=(const ReceivingThread&) = delete;

  StreamStatus status() const;
  bool ended() const { return ended_.load(std::memory_order_acquire); }  // a capture's end, or a failure
  // Ends the thread; throws what it met (a recording that could not be written).
  void stop();

 private:
  void on_datagram(Bytes datagram, const Instant& arrived, const transport::PeerAddress& from) override;
  void run();
  // Frames that are finished at `now`; they count as having come at `arrived`.
  void drain(const Instant& now, SteadyTime arrived);
  void pass_on(const transport::ReceivedFrame& frame, SteadyTime now);
  FrameRef share(size_t memory, uint64_t id, Bytes blocks, const TextureDesc& texture);
  FrameRef copy(const transport::ReceivedFrame& frame, const TextureDesc& texture);
  bool is_stale(const Instant& arrived, const transport::PeerAddress& from) const;
  void note_sender();
  // On the decoding thread; but hand_out() on the receiving thread where nothing waits there.
  size_t handle(QueuedFrame& queued);
  size_t decode(QueuedFrame& queued);
  void hand_out(const FrameRef& frame, const transport::ReceivedFrame& received, const FrameOrigin& origin);
  void note_decoded();
  bool supported(const transport::ReceivedFrame& frame, const Result<TextureDesc>& texture, size_t expected);
  static std::string why_unsupported(const transport::ReceivedFrame& frame, const Result<TextureDesc>& texture,
                                     size_t expected);
  void ask_for_tiles(SteadyTime now);
  std::optional<SteadyTime> next_query() const;
  void follow();
  void update_status();
  void tell_refusal();
  void tell_takeover();
  void tell_too_large();
  void tell_picture_sender(const PooledFrame& frame, const transport::PeerAddress& from);

  std::unique_ptr<DatagramSource> source_;
  BlockPool& pool_;
  OnFrame on_frame_;
  OnComing on_coming_;
  ReceptionEvents* const events_;
  const std::optional<std::string> device_;
  const bool is_proven_;  // all senders are genuine, as far as can be known
  SourceValidation validation_;
  CursorView cursor_;
  // Held while it decodes, which takes a while: the receiving thread only tries.
  mutable std::mutex decoder_mutex_;
  std::optional<CompactReception> own_decoder_;
  PayloadDecoder* decoder_;
  bool begins_ = false;  // decoding thread: a frame that began a stream was not handed out
  transport::ReceiveSession session_;
  FrameRef coming_;         // the next frame, where on_coming_ has been told of it
  uint64_t coming_id_ = 0;  // FrameProgress::id of the frame that is coming
  size_t told_bytes_ = 0;   // of it, by on_coming_
  uint64_t kernel_drops_ = 0;
  uint64_t followed_ = 0;                         // FollowedSender::count, as the decoding thread knows it
  uint64_t unsupported_ = 0;                      // frames
  std::atomic<uint64_t> not_copied_ = 0;          // frames that had to be copied or decoded, and there was no memory
  std::optional<transport::StreamDesc> refused_;  // named once in a row
  LineLimit refusals_;
  transport::Refusal told_refusal_ = transport::Refusal::none;
  transport::FollowedSender told_sender_;  // as it was last
  bool told_too_large_ = false;
  std::optional<transport::PeerAddress> picture_sender_;  // as it was told last
  uint64_t outside_ = 0;
  SteadyTime next_percentiles_{};

  mutable std::mutex mutex_;  // of what follows
  LatencyWindow network_, assemble_;
  StreamStatus status_;
  std::exception_ptr failure_;
  std::atomic<bool> stopping_ = false;
  std::atomic<bool> ended_ = false;
  DecodingThread decoding_;  // after all that it uses
  std::thread thread_;       // last: it uses all of the above
};

}  // namespace texcast::stream
