#include "texture_input.h"

#include <cstring>

#include "base/misuse.h"

namespace texcast::stream {

TextureInput::TextureInput(const TextureDesc& texture)
    : desc_(texture), returned_(texture_layout(texture).total_bytes), waiting_(returned_.size()) {}

void TextureInput::put(const TextureView& texture, const FrameTimes& times) {
  REQUIRE_USE(!waits_, "a texture still waits");
  std::memcpy(waiting_.data(), texture.blocks.data(), waiting_.size());
  times_ = times;
  waits_ = true;
  if (on_progress_) on_progress_();
}

void TextureInput::submit(const FrameView&, const FrameTimes&) { REQUIRE_USE(false, "it takes textures, not frames"); }

EncodedFrame TextureInput::next() {
  REQUIRE_USE(waits_, "there is no texture");
  waiting_.swap(returned_);
  waits_ = false;
  return {.texture = {desc_, returned_}, .times = times_};
}

}  // namespace texcast::stream
