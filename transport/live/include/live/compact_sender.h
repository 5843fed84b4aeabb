// compact_sender.h — encoded textures to the frames of a compact stream, on a thread of its own: how each differs from
// the one before (codec/compact), and what receivers ask for.
//
//     encoder ──EncodedFrame──► CompactSender: FrameEncoder, PayloadWriter ──payloads──► PacedSender
//                                        ▲ IntraRefresh ◄──tile requests──────────────────────┘
#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "base/built_later.h"
#include "base/clock.h"
#include "base/loop_thread.h"
#include "base/workers.h"
#include "compact/frame_encoder.h"
#include "compact/intra_refresh.h"
#include "compact/opencl_lossless_backend.h"
#include "compact/opencl_lossy_backend.h"
#include "compact/payload.h"
#include "compact/rate_control.h"
#include "compact/tile_sums.h"
#include "live/auto_reset_event.h"
#include "live/coding_budget.h"
#include "live/paced_sender.h"
#include "live/rate_adaptation.h"
#include "live/repair_shares.h"
#include "live/texture_sender.h"

namespace texcast::stream {

// Takes a frame while the one before is still leaving; two are in it at most.
class CompactSender final : public TextureSender {
 public:
  // Sets `progress` when idle() may have changed. It, `destinations` and `clock` must outlive this. The clock measures
  // how long coding a frame takes, and how far apart frames are: one that stands still while a frame is coded has every
  // tile coded in time, however slow the machine is.
  CompactSender(Destinations& destinations, const SendSettings& settings, const TextureDesc& texture,
                AutoResetEvent& progress, const StreamIdentity& identity, const Clock& clock = system_clock());
  ~CompactSender() override = default;
  static bool can_send(TextureFormat format) { return compact::TileGrid::can_cut(format); }

  bool idle() override;
  bool drained() override;
  bool answers_requests() const override { return sender_->answers_requests(); }
  bool wants_frame() const override;
  bool takes_bands() const override { return false; }
  void start(const EncodedFrame& frame) override;
  void start(const EncodedFrame& frame, size_t ready_bytes) override;
  void advance(size_t ready_bytes) override;
  void finish(WallTime encoded) override;
  SentStatus status() const override;

 private:
  struct Asked {
    transport::PeerAddress from{};
    uint32_t state = 0;  // buffer id
    bool all = false;
    std::vector<compact::TileRange> tiles{};
  };
  void on_request(const transport::PeerAddress& from, const transport::TileRequest& request);
  void run(const std::stop_token& stop);
  void code(const EncodedFrame& frame, const std::stop_token& stop);
  void give(std::span<const Bytes> payloads, const FrameTimes& times, bool& leaves);
  void count(nanoseconds coding);  // mutex_ is held
  double frame_times_since(SteadyTime begun, nanoseconds pts);
  void follow_the_way(SteadyTime now);
  void hear_requests();
  void add_up(std::span<const compact::CodedSlice> units, SteadyTime now);
  void build_chooser(const FrameView* picture);
  void take_device();
  struct Saved {
    size_t of = 0, bytes = 0;
  };
  Saved saved_by(std::span<const compact::CodedSlice> units) const;

  const Clock& clock_;
  const bool real_time_;
  const nanoseconds frame_time_;
  AutoResetEvent& progress_;
  AutoResetEvent sent_;  // the paced sender's progress, and what wakes the coding thread
  const uint32_t first_buffer_id_;
  const uint32_t ssrc_;
  Workers workers_;
  compact::TileGrid grid_;
  const CompactSettings settings_;
  const std::optional<compact::RdParameters> target_;  // of all frames; none: without loss, or by a rate
  const std::optional<DeviceInfo> device_;             // that is to code
  // Coding thread: their kernels, until they are there.
  BuiltLater<std::unique_ptr<compact::OpenClLosslessBackend>> decider_;
  BuiltLater<std::unique_ptr<compact::OpenClLossyBackend>> chooser_;  // of lossy streams
  CodingBudget budget_;                                               // coding thread
  compact::IntraRefresh plan_;                                        // coding thread
  RepairShares shares_;                                               // coding thread
  const bool tells_sums_;   // somebody may forge packets, and nothing else would mend what they do
  compact::TileSums sums_;  // coding thread
  SteadyTime sums_due_{};   // coding thread
  int next_row_ = 0;        // coding thread: that is told next
  std::optional<compact::FrameEncoder> encoder_;  // coding thread
  std::vector<compact::PayloadWriter> writers_;   // coding thread: the one whose payloads leave, and the next
  std::vector<Bytes> ready_;                      // coding thread: whole, and not with the sender
  size_t frames_ = 0;                             // coding thread: coded
  std::optional<SteadyTime> coded_at_{};          // coding thread: when the frame before was begun
  nanoseconds coded_pts_{};                       // coding thread: of it
  mutable std::mutex mutex_;                      // of what follows
  bool repairs_wait_ = false;                     // as plan_ has it
  bool in_hand_ = false;                          // a frame was started that the paced sender does not have yet
  std::optional<EncodedFrame> frame_;             // to be coded, or just being coded
  std::vector<Asked> asked_;
  std::vector<Asked> hearing_;  // coding thread
  CompactSent counts_;
  const CompactSent before_;             // of counts_, when this began
  std::unique_ptr<PacedSender> sender_;  // used by the coding thread, but for status()
  // Coding thread, of streams that have a rate: what it follows, where it may change; it; what receivers said; the
  // bytes sent again that it was told of.
  std::optional<RateAdaptation> way_;
  std::optional<compact::RateControl> rate_;
  std::vector<transport::ReceiverOpinion> heard_;
  uint64_t charged_ = 0;
  LoopThread thread_;  // last: it uses the above
};

}  // namespace texcast::stream
