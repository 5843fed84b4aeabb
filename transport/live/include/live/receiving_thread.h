// receiving_thread.h — the receiving thread: passes datagrams to a session, which assembles frames in the pool's
// memory. The recorder and the display share these frames. Frames of coded streams are decoded on another thread
// (decoding_thread.h).
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
#include "live/datagrams.h"
#include "live/decoding_thread.h"
#include "live/source_validation.h"
#include "textures/block_pool.h"
#include "textures/compact_reception.h"
#include "textures/cursor_view.h"
#include "textures/payload_decoder.h"
#include "textures/stream_format.h"
#include "transport/receive_session.h"
#include "transport/stream.h"

namespace texcast::stream {

// The state at one moment; a copy.
struct StreamStatus {
  transport::ReceiveCounters counters;
  transport::Refused refusal{};  // of the latest packet that was refused
  std::optional<transport::StreamDesc> stream;
  transport::PeerAddress sender{};  // the selected sender
  uint64_t frames = 0;              // delivered
  uint64_t frames_unsupported = 0;  // of an unsupported format or size
  uint64_t frames_unbuffered = 0;   // no free memory: the display or the disk was too slow
  uint64_t frames_undecoded = 0;    // decoding was too slow, or exceeded the sender's budget (DecodingBudget)
  uint64_t frames_concealed = 0;    // of those delivered: with concealed blocks
  uint64_t concealed_blocks = 0;    // their total number
  std::optional<SteadyTime> first_frame, last_frame;
  transport::ReceiveCounters at_last_frame;  // as of the last frame
  uint64_t unsupported_at_last_frame = 0;
  std::optional<CompactReceived> compact{};  // coded streams only
  double network_ms[2] = {};                 // sent to first packet, p50 and p95; meaningful only if the clocks agree
  double assemble_ms[2] = {};                // first packet to complete frame
};

// Events of a stream besides its statistics. Called on the receiving thread.
class ReceptionEvents {
 public:
  virtual ~ReceptionEvents() = default;
  virtual void on_refused(const transport::Refused& /*refused*/) {}  // each time that the reason changes
  virtual void on_takeover(const transport::SelectedSender& /*before*/, const transport::SelectedSender& /*now*/) {}
  virtual void on_too_large(const transport::ReceiveCounters& /*counters*/) {}  // once
  // The source of the picture, each time that its host changes: called with a frame of which most has arrived, on the
  // thread that delivers it (OnFrame).
  virtual void on_picture_sender(const transport::PeerAddress& /*from*/) {}
  virtual void on_cursor(const Cursor& /*cursor*/) {}  // the cursor beside the picture: each time that it has changed
};

class ReceivingThread : private DatagramSink {
 public:
  // Called in order, one at a time: for coded streams on the decoding thread, for others on the receiving thread. `fps`
  // is the stream's nominal rate.
  using OnFrame = std::function<void(const FrameRef& frame, double fps)>;

  // Frames that a pool needs for the session, and some slack. Add those that the caller keeps.
  static constexpr size_t kOwnFrames = transport::ReceiveSession::kMostLoans + 6;

  // Size limit of a pool, so that packets cannot exhaust the memory: at least 1 GiB and eight of the largest frames.
  static size_t pool_bytes(const transport::ReceiveSettings& settings) {
    return std::max(size_t{1} << 30, 8 * settings.max_frame_bytes);
  }

  // Called on the receiving thread for a large frame that is still arriving, each time that it has grown by kGrowth
  // (PooledFrame::ready_bytes). It may never be completed; then it is not delivered.
  using OnComing = std::function<void(const FrameRef& frame)>;
  static constexpr size_t kLargeFrame = size_t{2} << 20, kGrowth = size_t{1} << 20;

  // Starts at once. `pool`, `events`, `decoder` and everything that the callbacks use must outlive this. Without a
  // decoder, coded streams are decoded by a CompactReception of its own, on `device`. settings.request_lost is set
  // according to the source.
  ReceivingThread(std::unique_ptr<DatagramSource> source, BlockPool& pool, OnFrame on_frame,
                  const transport::ReceiveSettings& settings = {}, OnComing on_coming = {},
                  ReceptionEvents* events = nullptr, PayloadDecoder* decoder = nullptr,
                  std::optional<std::string> device = {});
  ~ReceivingThread();
  ReceivingThread(const ReceivingThread&) = delete;
  ReceivingThread& operator=(const ReceivingThread&) = delete;

  StreamStatus status() const;
  bool ended() const { return ended_.load(std::memory_order_acquire); }  // a capture's end, or a failure
  // Ends the thread and the source; throws the thread's exception (for example, a recording could not be written).
  void stop();

 private:
  void on_datagram(Bytes datagram, const Instant& arrived, const transport::PeerAddress& from) override;
  void run();
  // Delivers the frames that are finished at `now`; they count as having arrived at `arrived`.
  void drain(const Instant& now, SteadyTime arrived);
  void pass_on(const transport::ReceivedFrame& frame, SteadyTime now);
  FrameRef share(size_t memory, uint64_t id, Bytes blocks, const TextureDesc& texture);
  FrameRef copy(const transport::ReceivedFrame& frame, const TextureDesc& texture);
  bool is_stale(const Instant& arrived, const transport::PeerAddress& from) const;
  void note_sender();
  // On the decoding thread; except hand_out(), on the receiving thread while the decoding thread is idle.
  size_t handle(QueuedFrame& queued);
  size_t decode(QueuedFrame& queued);
  void hand_out(const FrameRef& frame, const transport::ReceivedFrame& received, const FrameOrigin& origin);
  void note_decoded();
  void report_unsupported(const transport::StreamDesc& stream, const std::string& why);
  void ask_for_tiles(SteadyTime now);
  std::optional<SteadyTime> next_query() const;
  void report_coming();
  void update_status();
  void report_refusal();
  void report_takeover();
  void report_too_large();
  void report_picture_sender(const PooledFrame& frame, const transport::PeerAddress& from);

  std::unique_ptr<DatagramSource> source_;
  BlockPool& pool_;
  OnFrame on_frame_;
  OnComing on_coming_;
  ReceptionEvents* const events_;
  const std::optional<std::string> device_;
  const bool is_proven_;  // all senders are genuine, as far as can be known
  SourceValidation validation_;
  CursorView cursor_;
  // Held during decoding, which takes long: the receiving thread uses only try_lock.
  mutable std::mutex decoder_mutex_;
  std::optional<CompactReception> own_decoder_;
  PayloadDecoder* decoder_;
  bool begins_ = false;  // decoding thread: a frame that began a stream was not delivered
  transport::ReceiveSession session_;
  FrameRef coming_;            // the next frame, if on_coming_ was called for it
  uint64_t coming_id_ = 0;     // FrameProgress::id of the arriving frame
  size_t reported_bytes_ = 0;  // reported by on_coming_
  uint64_t kernel_drops_ = 0;
  uint64_t selected_ = 0;                         // SelectedSender::count, as the decoding thread knows it
  uint64_t unsupported_ = 0;                      // frames
  std::atomic<uint64_t> not_copied_ = 0;          // frames that needed a copy or decoding, but there was no memory
  std::optional<transport::StreamDesc> refused_;  // logged once in a row
  LineLimit refusals_;
  transport::Refusal reported_refusal_ = transport::Refusal::none;
  transport::SelectedSender reported_sender_;  // as of the last report
  bool reported_too_large_ = false;
  std::optional<transport::PeerAddress> picture_sender_;  // as last reported
  uint64_t outside_ = 0;
  SteadyTime next_percentiles_{};

  mutable std::mutex mutex_;  // protects the following
  LatencyWindow network_, assemble_;
  StreamStatus status_;
  std::exception_ptr failure_;
  std::atomic<bool> stopping_ = false;
  std::atomic<bool> ended_ = false;
  DecodingThread decoding_;  // after everything that it uses
  std::thread thread_;       // last: it uses all of the above
};

}  // namespace texcast::stream
