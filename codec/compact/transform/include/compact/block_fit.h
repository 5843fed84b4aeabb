// block_fit.h — fits a BC4 block to 16 texels by a fixed rule, which is a part of the stream's definition: the decoder
// fits its reconstruction, so that end points and indices need no bits (docs/compact.md).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "compact/simd.h"

namespace texcast::compact {

// The texels of a fitted block are the values of its palette, each rounded to the nearest integer.
struct FittedBlock {
  uint64_t sub_block = 0;
  U8x16 texels{};
};
FittedBlock fit_block(U8x16 wanted);
// Fits `count` blocks, much faster than one by one: most of the work is done for 16 of them at once.
void fit_blocks(const U8x16* wanted, int count, FittedBlock* fitted);

// Fits blocks as they come, 16 at a time. Not thread-safe.
class FitQueue {
 public:
  // Writes the block to `to` now, or when more blocks were added, or with finish(). `to` is borrowed until then.
  void add(U8x16 wanted, std::byte* to);
  // Writes all blocks. Without it those that are left are never written.
  void finish() {
    if (count_ > 0) fit();
  }

 private:
  static constexpr int kMost = 16;
  void fit();
  std::array<U8x16, kMost> wanted_{};
  std::array<std::byte*, kMost> places_{};
  int count_ = 0;
};

// The texels of any BC4 block, values of the palette rounded to the nearest integer.
U8x16 nearest_texels(uint64_t sub_block);

}  // namespace texcast::compact
