// hap_parts.h — finds the parts of a Hap frame in bytes from outside, without decompressing them: sections, one or two
// of which are images, and the chunks of an image.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "base/bytes.h"
#include "base/result.h"
#include "container/hap_frame.h"

namespace texcast::container {

// The high nibble of a texture section's type, or an entry of the compressor table of a chunked image.
enum class HapCompressor : uint8_t { none = 0xA, snappy = 0xB, chunked = 0xC };

inline constexpr uint8_t kHapDecodeInstructions = 0x01;
inline constexpr uint8_t kHapCompressorTable = 0x02;  // one byte per chunk
inline constexpr uint8_t kHapSizeTable = 0x03;        // LE32 per chunk: bytes stored
inline constexpr uint8_t kHapOffsetTable = 0x04;      // LE32 per chunk: from the start of the chunk data; optional
inline constexpr uint8_t kHapMultipleImages = 0x0D;

inline constexpr size_t kHapShortHeader = 4;
inline constexpr size_t kHapLongHeader = 8;
inline constexpr size_t kHapShortLimit = size_t{1} << 24;  // the first body size that needs the long header

struct HapSection {
  uint8_t type = 0;
  Bytes body;
};

// Takes the next section off `reader`. Fails if its header or body does not fit into what is left.
Result<HapSection> take_hap_section(ByteReader& reader);

// The short header is used wherever possible, as FFmpeg's decoder of Hap Q Alpha takes no other.
constexpr size_t hap_header_bytes(size_t body_bytes) {
  return body_bytes > 0 && body_bytes < kHapShortLimit ? kHapShortHeader : kHapLongHeader;
}
// Writes hap_header_bytes(body_bytes) bytes at the start of `out`.
void store_hap_header(MutableBytes out, uint8_t type, size_t body_bytes);

// In the order of HapImages.
using HapImageSections = std::array<HapSection, kMaxHapImages>;

// Finds the images of a frame: at its top level if there is one, inside an enclosing section if there are two. Other
// sections are skipped, as the format requires. Fails if the images are not those of `images`.
Result<HapImageSections> find_hap_images(Bytes frame, const HapImages& images);

// A piece that can be decompressed by itself. Consecutive pieces hold consecutive parts of the image's blocks.
struct HapChunk {
  bool snappy = false;
  Bytes stored;
  size_t bytes = 0;  // of blocks, as the piece claims; untrusted, the caller checks that they fit
};

// The chunks of one image section that is known to be complete. Borrows its bytes.
class HapChunkList {
 public:
  static Result<HapChunkList> of(const HapSection& image);
  size_t count() const { return is_chunked_ ? compressors_.size() : 1; }
  bool is_chunked() const { return is_chunked_; }
  // Returns each chunk once, in order. Fails if the tables point outside or a chunk does not start as it should.
  Result<HapChunk> next();

 private:
  Result<void> read_tables(Bytes instructions);

  bool is_chunked_ = false;
  bool snappy_ = false;  // for a section that is one piece
  Bytes data_;
  Bytes compressors_;
  Bytes sizes_;
  std::optional<Bytes> offsets_;
  size_t index_ = 0;
  uint64_t offset_ = 0;  // of the next chunk. It grows by at most 4 GiB per chunk, so 64 bits do not overflow
};

}  // namespace texcast::container
