// reference_encoder.h — the scalar encoders on all processors, as an Encoder: `--device cpu-reference`, and the encoder
// that works while a device's compiler runs.
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

// One thread encodes the frames one after the other; its helpers share the rows of a frame.
class ReferenceEncoder : public Encoder {
 public:
  // Has its own pool.
  explicit ReferenceEncoder(const EncoderSettings& settings);
  // Substitutes for a device's encoder: takes frames of `pool`, `capacity` of them in flight. After the first frame its
  // threads give way to others that want the processor (the compiler, a decoder).
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

  // Waits until next() would not block, and returns true; returns false as soon as wake() was called since the last
  // call. Misuse if in_flight() == 0. wake() may be called on any thread.
  bool wait();
  void wake();
  // Returns the frames that are not encoded yet, oldest first: they are no longer in flight. A frame that is being
  // encoded is abandoned, which takes no longer than a row of blocks.
  struct GivenBack {
    FrameLease frame;
    FrameTimes times;
  };
  std::vector<GivenBack> give_back();
  size_t encoded() const;  // number of frames so far

 private:
  struct Slot {
    FrameLease frame;
    FrameView picture{};  // of the frame, if it is kept
    std::vector<std::byte> blocks;
    std::vector<uint8_t> changed;  // if frames are compared
    std::vector<uint8_t> known;    // FrameView::changed: tiles that need no comparison
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
  std::vector<Slot> slots_;           // one more than in flight: the frame that next() returned last keeps its slot
  std::optional<TileCopies> copies_;  // if frames are compared; copies_ and before_ are used by the thread only
  FrameLease before_;
  size_t taken_ = 0;
  StageTimes last_stages_;
  ProgressCall progress_;
  mutable std::mutex mutex_;  // guards the following
  std::condition_variable_any changed_;
  size_t submitted_ = 0, encoded_ = 0;
  bool at_work_ = false;
  std::stop_source abandon_;  // of the frame that is being encoded
  bool held_ = false;         // no other frame is begun
  bool woken_ = false;
  bool ended_ = false;
  LoopThread thread_;  // last: it uses the members above
};

}  // namespace texcast
