// texture_input.h — stands in for the encoder in a stream of textures that the program has encoded itself.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "texcast/encoder.h"

namespace texcast::stream {

// Copies textures and returns them as they are. Holds one, besides the one that next() returned last.
class TextureInput final : public Encoder {
 public:
  explicit TextureInput(const TextureDesc& texture);

  // Instead of submit(), which is misuse. The texture has texture_desc(); `times` has `encoded` too. Misuse if
  // in_flight() == capacity().
  void put(const TextureView& texture, const FrameTimes& times);

  void submit(const FrameView& frame, const FrameTimes& times) override;
  EncodedFrame next() override;
  bool ready() const override { return waits_; }
  void on_progress(std::function<void()> call) override { on_progress_ = std::move(call); }
  int in_flight() const override { return waits_ ? 1 : 0; }
  int capacity() const override { return 1; }
  TextureDesc texture_desc() const override { return desc_; }
  StageTimes last_stage_times() const override { return {}; }
  std::string device_name() const override { return {}; }

 private:
  const TextureDesc desc_;
  std::function<void()> on_progress_;
  std::vector<std::byte> returned_, waiting_;
  FrameTimes times_{};  // of waiting_
  bool waits_ = false;
};

}  // namespace texcast::stream
