// opus_coding.h — codes one channel of sound as packets of Opus and back (libopus), with no delay but Opus' own 2.5 ms.
//
// Example:
//     OpusChannelEncoder encoder(96'000);
//     const Bytes packet = encoder.encode(samples);  // 240 of them: 5 ms at 48 kHz
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>

#include "base/bytes.h"

struct OpusEncoder;
struct OpusDecoder;

namespace texcast::media {

inline constexpr int kOpusRate = 48000;  // of all samples here, in Hz

// Not thread-safe. Throws Error{failed} if libopus fails.
class OpusChannelEncoder {
 public:
  explicit OpusChannelEncoder(int bits_per_s);  // 6000..510000
  ~OpusChannelEncoder();
  OpusChannelEncoder(OpusChannelEncoder&&) noexcept;
  // `samples`: 120, 240, 480 or 960 of -1..1. The packet is valid until the next call.
  Bytes encode(std::span<const float> samples);
  // Decoded samples are so many samples later than the encoded ones.
  int delay() const { return delay_; }

 private:
  struct Free {
    void operator()(OpusEncoder* encoder) const;
  };
  std::unique_ptr<OpusEncoder, Free> encoder_;
  int delay_ = 0;
  std::array<std::byte, 1500> packet_{};
};

// Not thread-safe. Throws as the encoder does.
class OpusChannelDecoder {
 public:
  OpusChannelDecoder();
  ~OpusChannelDecoder();
  OpusChannelDecoder(OpusChannelDecoder&&) noexcept;
  // Decodes into `out`, which has room for 5760 samples, and returns their number; 0 if the packet is invalid.
  size_t decode(Bytes packet, std::span<float> out);
  // Estimates the contents of a lost packet, to fill all of `out`, a multiple of 2.5 ms (else the rest is silence).
  void conceal(std::span<float> out);

 private:
  struct Free {
    void operator()(OpusDecoder* decoder) const;
  };
  std::unique_ptr<OpusDecoder, Free> decoder_;
};

}  // namespace texcast::media
