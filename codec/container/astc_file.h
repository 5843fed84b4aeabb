// astc_file.h — the layout of .astc files, for writer and reader. Source: "The ASTC file format", of Arm's astcenc: a
// header of 16 bytes, then the blocks row by row, the top row first.
#pragma once

#include <cstddef>
#include <cstdint>

namespace texcast::container::astc {

// Offsets from the start of the file. Each side of a block takes one byte, each side of the image three.
inline constexpr size_t kMagic = 0, kBlockSides = 4, kImageSides = 7, kHeaderBytes = 16;
inline constexpr int kImageSideBytes = 3;
inline constexpr uint32_t kMagicValue = 0x5CA1AB13;

}  // namespace texcast::container::astc
