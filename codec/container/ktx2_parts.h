// ktx2_parts.h — the layout of KTX2 files (KTX 2.0 specification, sections 3 and 4), for writer and reader.
#pragma once

#include <zstd.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

namespace texcast::container::ktx2 {

inline constexpr std::string_view kIdentifier("\xABKTX 20\xBB\r\n\x1A\n", 12);

// Offsets from the start of the file.
inline constexpr size_t kVkFormat = 12, kTypeSize = 16, kWidth = 20, kHeight = 24, kDepth = 28, kLayers = 32,
                        kFaces = 36, kLevels = 40, kScheme = 44;
inline constexpr size_t kDfdOffset = 48, kDfdBytes = 52, kKeysOffset = 56, kKeysBytes = 60, kGlobalOffset = 64,
                        kGlobalBytes = 72;
// The level index. Its entries are offset, bytes and uncompressed bytes, 64 bits each.
inline constexpr size_t kFirstLevel = 80;
inline constexpr size_t kLevelEntryBytes = 24;

enum Scheme : uint32_t { kPlain = 0, kBasisLz = 1, kZstd = 2, kZlib = 3 };

// Offsets from the start of the data format descriptor, which is its size and one basic block (Khronos Data Format
// 1.3, section 5).
inline constexpr size_t kBlockKind = 4, kBlockVersion = 8, kBlockBytes = 10, kModel = 12, kPrimaries = 13,
                        kTransfer = 14, kBlockSides = 16, kPlaneBytes = 20, kSamples = 28;
inline constexpr size_t kSampleBytes = 16;
inline constexpr uint32_t kDfdVersion = 2;
inline constexpr uint8_t kSampleLinear = 0x10;
inline constexpr uint8_t kSampleSigned = 0x40;
inline constexpr uint8_t kSampleFloat = 0x80;

// texcast's own keys. Values are text, terminated by a zero.
inline constexpr std::string_view kColorKey = "texcast.color";  // "1,1,13": H.273 matrix, primaries, transfer
// The name of a TextureFormat, if the VkFormat is not enough.
inline constexpr std::string_view kFormatKey = "texcast.format";
inline constexpr std::string_view kRateKey =
    "texcast.fps";  // "29.97": the frame rate of the sequence that the file belongs to

// Zstandard's contexts, with deleters.
struct FreeZstd {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};
using ZstdCompressor = std::unique_ptr<ZSTD_CCtx, FreeZstd>;
using ZstdDecompressor = std::unique_ptr<ZSTD_DCtx, FreeZstd>;

}  // namespace texcast::container::ktx2
