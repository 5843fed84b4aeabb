// lossy_stream.h — payloads of a lossy stream of noise that changes a little, or with transform coding of a soft
// picture that moves, for tests of receivers and recorders.
#pragma once

#include <cmath>
#include <random>
#include <vector>

#include "compact/block_fit.h"
#include "compact/frame_decoder.h"
#include "compact/frame_encoder.h"
#include "compact/payload.h"
#include "compact/sample_planes.h"
#include "compact/sub_block.h"

namespace texcast::test {

class LossyStream {
 public:
  explicit LossyStream(const TextureDesc& desc, bool transform = false)
      : is_soft_(transform),
        encoder_(desc, {.lossy = true, .transform = transform}, workers_),
        writer_(encoder_.grid(), 1200),
        decoder_(desc, workers_),
        blocks_(encoder_.grid().texture_bytes()),
        shown_(blocks_.size()),
        before_(blocks_.size()) {
    for (auto& byte : blocks_) byte = static_cast<std::byte>(random_());
  }
  // Codes the next frame. `intra` has a byte for each tile, which is not 0 if the tile is to be intra; empty: none are.
  void next(std::span<const uint8_t> intra = {}) {
    is_soft_ ? draw_waves() : change_noise();
    payloads_.clear();
    const compact::FrameToEncode frame{
        .texture = blocks_, .intra = intra, .wrong = intra, .target = compact::rd_parameters(24)};
    for (const Bytes payload : writer_.write(encoder_.encode(frame)))
      payloads_.emplace_back(payload.begin(), payload.end());
    before_.swap(shown_);
    const auto counts = decoder_.decode(payloads(), is_first_ ? nullptr : before_.data(), shown_);
    transform_tiles_ += counts.transform;
    is_first_ = false;
  }
  std::vector<Bytes> payloads() const { return {payloads_.begin(), payloads_.end()}; }
  // In the format of recordings.
  std::vector<std::byte> payloads_with_lengths() const {
    std::vector<std::byte> bytes;
    for (const auto& payload : payloads_) {
      const size_t at = bytes.size();
      bytes.resize(at + 4);
      store_le32(bytes, at, static_cast<uint32_t>(payload.size()));
      bytes.insert(bytes.end(), payload.begin(), payload.end());
    }
    return bytes;
  }
  const std::vector<std::byte>& shown() const { return shown_; }  // the receiver's last picture
  uint32_t tiles() const { return encoder_.grid().tiles(); }
  uint32_t transform_tiles() const { return transform_tiles_; }  // of all frames so far
  // The receiver's samples. The format has transform coding.
  std::vector<uint8_t> samples() {
    std::vector<uint8_t> samples(compact::SampleLayout(encoder_.grid()).samples());
    if (!decoder_.read_samples(shown_.data(), samples)) samples.clear();
    return samples;
  }

 private:
  void change_noise() {
    const size_t begin = random_() % blocks_.size() & ~size_t{7};
    for (size_t at = begin; at < std::min(begin + 400, blocks_.size()); ++at)
      blocks_[at] = static_cast<std::byte>(random_());
  }
  void draw_waves() {
    const double time = frame_++;
    for (int c = 0; c < encoder_.grid().component_count(); ++c) {
      const compact::Component& component = encoder_.grid().component(c);
      for (int y = 0; y < component.blocks_y; ++y)
        for (int x = 0; x < component.blocks_x; ++x) {
          compact::U8x16 texels{};
          for (int i = 0; i < 16; ++i)
            texels[i] = static_cast<uint8_t>(128 + 60 * std::sin((4 * x + i % 4 + 1.7 * time) / (9 + 3 * c)) +
                                             40 * std::sin((4 * y + i / 4 + 0.6 * time) / 7));
          compact::store_sub_block(blocks_.data() + component.at(x, y), compact::fit_block(texels).sub_block);
        }
    }
  }

  std::mt19937 random_{11};
  const bool is_soft_;
  int frame_ = 0;
  uint32_t transform_tiles_ = 0;
  Workers workers_{0};
  compact::FrameEncoder encoder_;
  compact::PayloadWriter writer_;
  compact::FrameDecoder decoder_;
  std::vector<std::byte> blocks_, shown_, before_;
  std::vector<std::vector<std::byte>> payloads_;
  bool is_first_ = true;
};

}  // namespace texcast::test
