// reference_encoder.h — the scalar encoders on all processors, as an Encoder: `--device cpu-reference`, and what
// encodes while a device's compiler is at work.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "base/loop_thread.h"
#include "progress_call.h"
#include "texcast/encoder.h"
#include "tile_copies.h"

namespace texcast {

class Workers;

// Frames are encoded one after the other by a thread of its own and its helpers, which share the rows of one frame.
class ReferenceEncoder : public Encoder {
 public:
  // With a pool of its own.
  explicit ReferenceEncoder(const EncoderSettings& settings);
  // As a stand-in: on frames of `pool`, `capacity` of them in flight; after the first frame its threads leave the
  // processor to others that want it (the compiler, a decoder).
  ReferenceEncoder(const EncoderSettings& settings, std::shared_ptr<FramePool> pool, int capacity);

  void submit(const FrameView& frame, const FrameTimes& times) override;
  EncodedFrame next() override;
  bool ready() const override;
  size_t ready_bytes() override;
  EncodedFrame peek() override;
  void on_progress(std::function<void()> call) override { progress_.set(std::move(call)); }
  int in_flight() const override;
  int capacity() const override { return capacity_; }
  std::shared_ptr<FramePool> frame_pool() override { return lent_; }
  TextureDesc texture_desc() const override { return desc_; }
  StageTimes last_stage_times() const override { return last_stages_; }
  std::string device_name() const override { return "cpu-reference"; }

  // True when next() would not wait; false as soon as wake() was called since the last call. Misuse if in_flight() ==
  // 0. wake() may be called on any thread.
  bool wait();
  void wake();
  // Frames that are not encoded yet are given back, oldest first: they are no longer in flight. One that is being
  // encoded is left where it is; that takes no longer than a row of blocks.
  struct GivenBack {
    FrameLease frame;
    FrameTimes times;
  };
  std::vector<GivenBack> give_back();
  size_t encoded() const;  // frames, so far

 private:
  struct Slot {
    FrameLease frame;
    FrameView picture{};  // of it, where it is kept
    std::vector<std::byte> blocks;
    std::vector<uint8_t> changed;  // where frames are compared
    std::vector<uint8_t> known;    // that need not be: FrameView::changed
    FrameTimes times;
    StageTimes stages;
  };
  ReferenceEncoder(const EncoderSettings& settings, std::shared_ptr<FramePool> pool, int capacity, bool stands_in);
  TextureView texture_of(Slot& slot) const;
  void run(const std::stop_token& stop);
  bool encode(Slot& slot, Workers& workers, const std::stop_token& stop);
  void compare(Slot& slot, Workers& workers);
  void encode_row(const Slot& slot, const FrameView& frame, std::span<std::byte> blocks, int row) const;
  Slot& slot_of(size_t frame) { return slots_[frame % slots_.size()]; }

  const EncoderSettings settings_;
  const TextureDesc desc_;
  const int capacity_;
  const bool stands_in_;
  const std::shared_ptr<FramePool> lent_, copied_;
  std::vector<Slot> slots_;           // one more than in flight: the frame given out last keeps its slot
  std::optional<TileCopies> copies_;  // where frames are compared; this and the frame before are the thread's
  FrameLease before_;
  size_t taken_ = 0;
  StageTimes last_stages_;
  ProgressCall progress_;
  mutable std::mutex mutex_;  // of what follows
  std::condition_variable_any changed_;
  size_t submitted_ = 0, encoded_ = 0;
  bool at_work_ = false;
  std::stop_source abandon_;  // the frame at work
  bool held_ = false;         // no other is begun
  bool woken_ = false;
  bool ended_ = false;
  LoopThread thread_;  // last: it uses the above
};

}  // namespace texcast
