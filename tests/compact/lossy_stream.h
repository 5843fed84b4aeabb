// lossy_stream.h — payloads of a lossy stream of noise that changes a little, for tests of receivers and recorders.
#pragma once

#include <random>
#include <vector>

#include "compact/frame_decoder.h"
#include "compact/frame_encoder.h"
#include "compact/payload.h"

namespace texcast::test {

class LossyStream {
 public:
  explicit LossyStream(const TextureDesc& desc)
      : encoder_(desc, {.lossy = true}, workers_),
        writer_(encoder_.grid(), 1200),
        decoder_(desc, workers_),
        blocks_(encoder_.grid().texture_bytes()),
        shown_(blocks_.size()),
        before_(blocks_.size()) {
    for (auto& byte : blocks_) byte = static_cast<std::byte>(random_());
  }
  // Codes the next frame. `intra` has a byte for each tile, which is not 0 if the tile is to be intra; empty: none are.
  void next(std::span<const uint8_t> intra = {}) {
    const size_t begin = random_() % blocks_.size() & ~size_t{7};
    for (size_t at = begin; at < std::min(begin + 400, blocks_.size()); ++at)
      blocks_[at] = static_cast<std::byte>(random_());
    payloads_.clear();
    const compact::FrameToEncode frame{
        .texture = blocks_, .intra = intra, .wrong = intra, .target = compact::rd_parameters(24)};
    for (const Bytes payload : writer_.write(encoder_.encode(frame)))
      payloads_.emplace_back(payload.begin(), payload.end());
    before_.swap(shown_);
    decoder_.decode(payloads(), is_first_ ? nullptr : before_.data(), shown_);
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

 private:
  std::mt19937 random_{11};
  Workers workers_{0};
  compact::FrameEncoder encoder_;
  compact::PayloadWriter writer_;
  compact::FrameDecoder decoder_;
  std::vector<std::byte> blocks_, shown_, before_;
  std::vector<std::vector<std::byte>> payloads_;
  bool is_first_ = true;
};

}  // namespace texcast::test
