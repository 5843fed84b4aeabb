// hap_section.h — the section header that every part of a Hap frame starts with, and the types of sections.
#pragma once

#include "base/bytes.h"
#include "base/result.h"

namespace texcast::container {

// High nibble of a texture section's type; also, alone, the entries of a chunk's compressor table.
enum class HapCompressor : uint8_t { none = 0xA, snappy = 0xB, chunked = 0xC };

inline constexpr uint8_t kHapDecodeInstructions = 0x01;
inline constexpr uint8_t kHapCompressorTable = 0x02;  // one byte a chunk
inline constexpr uint8_t kHapSizeTable = 0x03;        // LE32 a chunk: bytes stored
inline constexpr uint8_t kHapOffsetTable = 0x04;      // LE32 a chunk: from the start of the chunk data; optional
inline constexpr uint8_t kHapMultipleImages = 0x0D;

inline constexpr size_t kHapShortHeader = 4;
inline constexpr size_t kHapLongHeader = 8;
inline constexpr size_t kHapShortLimit = size_t{1} << 24;  // the first body size that needs the long header

struct HapSection {
  uint8_t type = 0;
  Bytes body;
};

// Takes the next section off `reader`. A Failure when its header or body does not fit in what is left.
Result<HapSection> take_hap_section(ByteReader& reader);

// The short header wherever it will do: FFmpeg's decoder of Hap Q Alpha takes no other.
constexpr size_t hap_header_bytes(size_t body_bytes) {
  return body_bytes > 0 && body_bytes < kHapShortLimit ? kHapShortHeader : kHapLongHeader;
}
// Writes hap_header_bytes(body_bytes) bytes at the start of `out`.
void store_hap_header(MutableBytes out, uint8_t type, size_t body_bytes);

}  // namespace texcast::container
