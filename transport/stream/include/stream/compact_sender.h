// compact_sender.h — codes the textures of a stream on a thread of its own (codec/compact) and repairs tiles that
// receivers request.
//
//     encoder ──EncodedFrame──► CompactSender: FrameEncoder, PayloadWriter ──payloads──► PacedSender
//                                        ▲ IntraRefresh ◄──tile requests──────────────────────┘
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "base/loop_thread.h"
#include "base/workers.h"
#include "compact/frame_encoder.h"
#include "compact/intra_refresh.h"
#include "compact/payload.h"
#include "live/auto_reset_event.h"
#include "stream/coding_budget.h"
#include "stream/coding_deadline.h"
#include "stream/paced_sender.h"
#include "stream/texture_sender.h"

namespace texcast::stream {

class BitrateControl;
class CodingDevice;
class TileRequests;
class TileSumsSender;
struct PacketLine;

// Takes a frame while the previous one is still leaving; it holds two at most. All calls come from one thread, except
// status().
class CompactSender final : public TextureSender {
 public:
  // Sets `progress` when idle() may have changed. `progress`, `destinations` and `clock` must outlive this. The clock
  // measures the coding time and the distance between frames. With a clock that stands still during a frame, every tile
  // is coded in time, however slow the machine is.
  CompactSender(Destinations& destinations, const SendSettings& settings, const TextureDesc& texture,
                AutoResetEvent& progress, const StreamIdentity& identity, const Clock& clock = system_clock());
  ~CompactSender() override;
  static bool can_send(TextureFormat format) { return compact::TileGrid::can_cut(format); }

  bool idle() override;
  bool drained() override;
  bool answers_requests() const override { return sender_->answers_requests(); }
  bool wants_frame() const override;
  bool takes_bands() const override { return false; }
  void rehearse(const EncodedFrame& frame) override;
  Rehearsal rehearsal() override;
  void code_ahead(const EncodedFrame& frame) override;
  void start(const EncodedFrame& frame) override;
  void start(const EncodedFrame& frame, size_t ready_bytes) override;
  void advance(size_t ready_bytes) override;
  void finish(WallTime encoded) override;
  SentStatus status() const override;
  void set_quality(std::optional<double> crf, std::optional<Bitrate> bitrate) override;

 private:
  // When frames are coded.
  struct Timing {
    const Clock& clock;
    const bool real_time;
    const nanoseconds frame_time;
    std::optional<SteadyTime> coded_at{};  // when coding the previous frame began
    nanoseconds coded_pts{};               // of that frame
    // The distance from the previous frame in frame times: 1 if the source keeps to its rate.
    double frame_times_until(SteadyTime begun, nanoseconds pts);
  };
  // The purpose for which the coding thread codes a frame.
  enum class Task { send, rehearse, code_ahead };
  void take(const EncodedFrame& frame, Task task);
  void release_frame();
  void on_request(const transport::PeerAddress& from, const transport::TileRequest& request);
  void run(const std::stop_token& stop);
  PacketLine line() const;
  void make_encoder();
  void take_quality();
  void give_device(const EncodedFrame& frame);
  void code_unsent(const EncodedFrame& frame);
  void look_at_rehearsal();
  void forget_rehearsals();
  void code_first(const EncodedFrame& frame);
  void send_first(const FrameTimes& times, const std::stop_token& stop);
  void code(const EncodedFrame& frame, const std::stop_token& stop);
  compact::PayloadWriter& begin_payloads(SteadyTime begun, double frame_times);
  // Until `deadline` tiles may be coded. It is read until the frame is coded; nullptr: there is none.
  void begin(const EncodedFrame& frame, double frame_times, const SteadyTime* deadline);
  void give(std::span<const Bytes> payloads, const FrameTimes& times, bool& leaves);
  void end_frame(std::span<const compact::CodedSlice> slices, SteadyTime begun, double frame_times);
  void frame_is_over(const FrameTimes& times, nanoseconds coding, bool leaves, const std::stop_token& stop);
  void send_when_idle(const FrameTimes& times, const std::stop_token& stop);
  void count(nanoseconds coding);  // mutex_ is held
  void learn(nanoseconds coding, std::span<const compact::CodedSlice> slices);

  // Members without a comment belong to the coding thread once it runs.
  Timing timing_;
  AutoResetEvent& progress_;
  AutoResetEvent sent_;  // progress of sender_; also wakes the coding thread
  Workers workers_;
  const compact::TileGrid grid_;
  const SendSettings given_;                     // all settings of the stream
  CompactSettings settings_;                     // with the present crf and bit rate
  std::optional<compact::RdParameters> target_;  // lossy with a constant crf
  const std::unique_ptr<CodingDevice> device_;
  CodingBudget budget_;      // lossless
  CodingDeadline deadline_;  // lossy
  compact::IntraRefresh refresh_;
  const std::unique_ptr<TileRequests> requests_;  // any thread
  // nullptr if nobody can forge packets (they are encrypted), or nobody could report it.
  const std::unique_ptr<TileSumsSender> sums_;
  std::optional<compact::FrameEncoder> encoder_;
  std::vector<compact::PayloadWriter> writers_;  // of two frames: one leaves while the next is written
  std::vector<Bytes> ready_;                     // complete payloads that sender_ does not have yet
  uint64_t frames_ = 0;                          // coded and sent
  uint64_t rehearsed_ = 0;                       // frames that are not forgotten yet
  bool is_device_begun_ = false;                 // its kernels are being built, or are built
  bool was_settled_ = false;                     // in the last rehearsal, nothing was new
  // Of the first frame, if it was coded ahead and has not left.
  std::optional<std::span<const compact::CodedSlice>> ahead_;
  mutable std::mutex mutex_;           // guards the next seven
  bool repairs_wait_ = false;          // another frame would repair something
  bool in_hand_ = false;               // a frame was started that sender_ does not have yet
  std::optional<EncodedFrame> frame_;  // waits or is being coded
  Task task_ = Task::send;             // of that frame
  Rehearsal rehearsal_ = Rehearsal::waits;
  std::optional<CompactSettings> wanted_{};  // by set_quality(), for the next frame
  CompactSent counts_;
  const CompactSent before_;             // counts_ when this was created
  std::unique_ptr<PacedSender> sender_;  // the coding thread calls it, any thread its status()
  const bool ipv6_;
  std::unique_ptr<BitrateControl> bitrate_;  // nullptr: no bit rate is set
  LoopThread thread_;                        // last: it uses the members above
};

}  // namespace texcast::stream
