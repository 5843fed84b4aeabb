// frame_check.h — some blocks of the first textures that a device makes, compared with the reference's. Kernels come
// from a cache, a compiler and a device, and wrong blocks look like any others.
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

// Not thread-safe. Textures have numbers, which grow.
class FrameCheck {
 public:
  explicit FrameCheck(const TextureLayout& layout);

  // Makes the reference's block of a texture that is about to be made.
  using Reference = std::function<void(size_t plane, int column, int row, MutableBytes block)>;
  // While there is something to find out, the reference makes some of the texture's blocks: for a millisecond.
  void take(size_t number, const Reference& reference);
  // Whether compare() is to be called before the texture is given to anybody.
  bool awaits(size_t number) const { return !awaited_.empty() && awaited_.front().number == number; }
  // All of the device's blocks. False where they are others than the reference's; nothing more is compared then.
  // Textures of one colour say little: so long as all are, the next ones are compared too.
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

// After compare() has found other blocks. Kernels that came from a cache are removed from it, and Error{no_device} is
// thrown: compiled anew they may be right. Else the driver or the device is wrong, which a warning says.
void tell_of_wrong_blocks(const ocl::Device& device, TextureFormat format);

}  // namespace texcast
