// frame_check.h — compares some blocks of a device's first textures with the reference encoder's. Kernels come from a
// cache, a compiler and a device, and wrong blocks look like any others.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "base/bytes.h"
#include "ocl/device.h"
#include "texcast/format.h"

namespace texcast {

// Not thread-safe. The numbers of textures must increase.
class FrameCheck {
 public:
  explicit FrameCheck(const TextureLayout& layout);

  // Encodes a block of the texture with the reference encoder.
  using Reference = std::function<void(size_t plane, int column, int row, MutableBytes block)>;
  // Call before the device encodes the texture. If samples are still needed, encodes some of its blocks with the
  // reference encoder, for a millisecond.
  void take(size_t number, const Reference& reference);
  // Whether compare() must be called before the texture is handed out.
  bool awaits(size_t number) const { return !awaited_.empty() && awaited_.front().number == number; }
  // `blocks`: the whole texture from the device. Returns false if it differs from the reference; nothing more is
  // compared then. A texture of one colour proves little: as long as all are such, the next ones are compared too.
  bool compare(size_t number, Bytes blocks);

 private:
  struct Sample {
    size_t offset = 0, bytes = 0;
    std::array<std::byte, 16> block{};
    Bytes view() const { return Bytes(block).first(bytes); }
  };
  struct Awaited {
    size_t number = 0;
    std::vector<Sample> samples{};
  };
  Sample next_sample(size_t plane, const Reference& reference);
  bool is_varied(const std::vector<Sample>& samples) const;

  const TextureLayout layout_;
  std::deque<Awaited> awaited_;
  int textures_left_;
  uint32_t samples_ = 0;  // so far
};

// Call it if compare() has returned false. Kernels that came from a cache are removed from it, and Error{no_device} is
// thrown, as they may be right if compiled again. Otherwise the driver or the device is wrong, and a warning says so.
void tell_of_wrong_blocks(const ocl::Device& device, TextureFormat format);

}  // namespace texcast
