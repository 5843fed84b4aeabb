// dds_parts.h — the layout and the constants of DDS files, for writer and reader.
#pragma once

#include <cstddef>
#include <cstdint>

#include "texcast/format.h"

namespace texcast::container::dds {

// Offsets from the start of the file. Names as in Microsoft's DDS_HEADER and DDS_HEADER_DXT10.
inline constexpr size_t kMagic = 0, kSize = 4, kFlags = 8, kHeight = 12, kWidth = 16, kPitch = 20, kLinearSize = 20,
                        kLevels = 28, kReserved1 = 32;
inline constexpr size_t kPixelFormatSize = 76, kPixelFormatFlags = 80, kFourCC = 84, kBitCount = 88, kMasks = 92,
                        kCaps = 108, kCaps2 = 112;
inline constexpr size_t kDdsHeaderBytes = 128;
inline constexpr size_t kDxgiFormat = 128, kResourceDimension = 132, kMiscFlag = 136, kArraySize = 140;
inline constexpr size_t kDx10HeaderBytes = 20;

inline constexpr uint32_t kMagicValue = 0x20534444;                // "DDS "
inline constexpr uint32_t kFlagsValue = 0x1 | 0x2 | 0x4 | 0x1000;  // caps, height, width, pixel format
inline constexpr uint32_t kFlagPitch = 0x8, kFlagLevels = 0x20000, kFlagLinearSize = 0x80000;
inline constexpr uint32_t kPixelFormatAlpha = 0x1, kPixelFormatFourCC = 0x4, kPixelFormatRgb = 0x40;
inline constexpr uint32_t kCapsTexture = 0x1000, kCapsComplex = 0x8, kCapsMipmap = 0x400000;
inline constexpr uint32_t kCaps2Cubemap = 0x200, kCaps2Faces = 0xFC00, kCaps2Volume = 0x200000, kMiscCubemap = 0x4;
inline constexpr uint32_t kFourCCDx10 = fourcc('D', 'X', '1', '0');
inline constexpr uint32_t kDimensionTexture2d = 3;

// The 11 reserved words, in which writers leave marks. GIMP's are at the start. texcast's follow: the format, its true
// size once more, its colours as H.273 primaries and transfer, a ColorMatrix, and kLimited if the range is limited, and
// the frame rate of its sequence.
inline constexpr size_t kGimp1 = kReserved1, kGimp2 = kReserved1 + 4, kGimpTag = kReserved1 + 12;
inline constexpr size_t kMark = kReserved1 + 20, kMarkFormat = kMark + 4, kMarkWidth = kMark + 8,
                        kMarkHeight = kMark + 12, kMarkColor = kMark + 16, kMarkRate = kMark + 20;
inline constexpr double kRateUnit = 1e-6;  // frames a second
inline constexpr uint32_t kMarkValue = fourcc('T', 'X', 'C', 'S');
inline constexpr uint32_t kUnscaledYCoCg = fourcc('Y', 'C', 'G', '1');

inline constexpr uint32_t kLimited = 1u << 24;

// For uncompressed formats.
inline uint32_t row_bytes(const TextureDesc& desc) {
  const PlaneLayout plane = texture_layout(desc).planes[0];
  return static_cast<uint32_t>(plane.blocks_x * plane.block_bytes);
}

// After the header come all mip levels of the first plane, the largest first, then those of the next plane. So a reader
// that knows the first plane only finds its levels. Returns the bytes of `plane` with all its levels.
inline uint64_t levels_bytes(const TextureDesc& desc, size_t plane, int levels) {
  uint64_t bytes = 0;
  for (int level = 0; level < levels; ++level) bytes += texture_layout(level_of(desc, level)).planes[plane].bytes;
  return bytes;
}

}  // namespace texcast::container::dds
