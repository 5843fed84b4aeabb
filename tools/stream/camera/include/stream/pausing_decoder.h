// pausing_decoder.h — decodes a coded stream only while a program reads the camera.
//
// To the decoder, the frames that are not decoded during a pause are lost frames. The first frame after the pause is
// therefore wrong where the picture has changed meanwhile, and the decoder requests those tiles from the sender, as it
// does after any loss. Frames are shown again once one is right, or after a second.
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

  // `is_watched`: whether a program reads the camera. `on_undecoded`: called for each frame that is not decoded. Both
  // are called on the decoding thread.
  PausingDecoder(std::unique_ptr<PayloadDecoder> decoder, std::function<bool()> is_watched,
                 std::function<void()> on_undecoded, Clock& clock = system_clock());

  // Until the first frame of a stream has been shown, it decodes even if no program reads, so that the picture's size
  // is known.
  std::optional<uint32_t> decode(const transport::ReceivedFrame& frame, const FrameRef& out) override;
  void compare(const transport::TileSums& sums) override;
  uint64_t work() const override { return decoder_->work(); }
  std::optional<transport::TileQuery> query(SteadyTime now) override;
  std::optional<SteadyTime> next_query() const override;

 private:
  const std::unique_ptr<PayloadDecoder> decoder_;
  const std::function<bool()> is_watched_;
  const std::function<void()> on_undecoded_;
  Clock& clock_;
  std::optional<transport::StreamDesc> known_;  // of the frame that was shown last
  std::optional<SteadyTime> repaired_by_;       // after a pause, until a frame was right
  std::atomic<bool> pauses_ = false;
};

}  // namespace texcast::stream
