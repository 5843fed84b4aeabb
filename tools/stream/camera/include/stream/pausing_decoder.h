// pausing_decoder.h — decodes a coded stream only while somebody looks.
//
// While it pauses, frames are passed over as if they had been lost. The first frame after a pause is therefore wrong
// where the picture changed meanwhile, and the decoder requests those tiles from the sender, as after any loss. Frames
// are shown again once one is right, or after a second.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>

#include "base/clock.h"
#include "textures/payload_decoder.h"

namespace texcast::stream {

class PausingDecoder final : public PayloadDecoder {
 public:
  static constexpr nanoseconds kLongestRepair = std::chrono::seconds(1);

  // `is_watched`: whether somebody looks. `passed_over`: called for each frame that is not decoded. Both are called on
  // the decoding thread.
  PausingDecoder(std::unique_ptr<PayloadDecoder> decoder, std::function<bool()> is_watched,
                 std::function<void()> passed_over, Clock& clock = system_clock());

  // Decodes also while nobody looks until the first frame of a stream has been shown, so that its size is known.
  std::optional<uint32_t> decode(const transport::ReceivedFrame& frame, const FrameRef& out) override;
  void compare(const transport::TileSums& sums) override;
  uint64_t work() const override { return decoder_->work(); }
  std::optional<transport::TileQuery> query(SteadyTime now) override;
  std::optional<SteadyTime> next_query() const override;
  uint64_t passed_over() const { return count_.load(std::memory_order_relaxed); }  // frames; any thread

 private:
  const std::unique_ptr<PayloadDecoder> decoder_;
  const std::function<bool()> is_watched_;
  const std::function<void()> passed_over_;
  Clock& clock_;
  std::optional<transport::StreamDesc> known_;  // of the frame that was shown last
  std::optional<SteadyTime> repaired_by_;       // after a pause, until a frame was right
  std::atomic<bool> pauses_ = false;
  std::atomic<uint64_t> count_ = 0;
};

}  // namespace texcast::stream
