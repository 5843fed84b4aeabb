#include <snappy-c.h>

#include <algorithm>

#include "base/ensure.h"
#include "container/hap_frame.h"
#include "hap_section.h"

namespace texcast::container {
namespace {

constexpr int kMaxChunks = 64;
constexpr size_t kUnitBytes = 8;  // the smallest block of any format: chunks end on a block
constexpr int64_t kPixelsPerChunk = 2'300'000;

uint8_t section_type(HapCompressor compressor, HapTexture texture) {
  return static_cast<uint8_t>(static_cast<int>(compressor) << 4 | static_cast<int>(texture));
}

const char* chars(Bytes bytes) { return reinterpret_cast<const char*>(bytes.data()); }
char* chars(MutableBytes bytes) { return reinterpret_cast<char*>(bytes.data()); }

struct Stored {
  HapCompressor compressor;
  size_t bytes;
};

// `to` holds at least snappy_max_compressed_length of `from`.
Stored store(Bytes from, bool snappy, MutableBytes to) {
  if (snappy) {
    size_t bytes = to.size();
    const snappy_status status = snappy_compress(chars(from), from.size(), chars(to), &bytes);
    ENSURE(status == SNAPPY_OK);
    if (bytes < from.size()) return {HapCompressor::snappy, bytes};
  }
  std::copy(from.begin(), from.end(), to.begin());
  return {HapCompressor::none, from.size()};
}

int even_chunks(size_t total_bytes, int wanted) {
  ENSURE(wanted >= 1 && wanted <= kMaxChunks);
  const size_t units = total_bytes / kUnitBytes;
  if (total_bytes % kUnitBytes != 0) return 1;
  int chunks = wanted;
  while (chunks > 1 && units % static_cast<size_t>(chunks) != 0) --chunks;
  return chunks;
}

// Decode instructions: their own header, then the two tables with a header each. At most 64 chunks, so short headers.
constexpr size_t instructions_bytes(size_t chunks) { return 3 * kHapShortHeader + 5 * chunks; }

size_t write_chunked(Bytes blocks, int chunks, MutableBytes out) {
  const auto count = static_cast<size_t>(chunks);
  const size_t chunk_bytes = blocks.size() / count;
  const size_t compressors = 2 * kHapShortHeader;
  const size_t sizes = compressors + count + kHapShortHeader;
  store_hap_header(out, kHapDecodeInstructions, instructions_bytes(count) - kHapShortHeader);
  store_hap_header(out.subspan(kHapShortHeader), kHapCompressorTable, count);
  store_hap_header(out.subspan(compressors + count), kHapSizeTable, 4 * count);
  size_t at = instructions_bytes(count);
  for (size_t i = 0; i < count; ++i) {
    const Stored stored = store(blocks.subspan(i * chunk_bytes, chunk_bytes), true, out.subspan(at));
    store_le<1>(out, compressors + i, static_cast<uint64_t>(stored.compressor));
    store_le32(out, sizes + 4 * i, static_cast<uint32_t>(stored.bytes));
    at += stored.bytes;
  }
  return at;
}

}  // namespace

HapTexture hap_texture(TextureFormat format) {
  switch (format) {
    case TextureFormat::bc1: return HapTexture::bc1;
    case TextureFormat::ycocg_dxt5: return HapTexture::ycocg_bc3;
    case TextureFormat::ycocg_bc4_420:
    case TextureFormat::ycocg_bc4_422:
    case TextureFormat::ycocg_bc4_444: return HapTexture::bc4;
  }
  ENSURE(!"a texture format that Hap sections have");
  return HapTexture::bc1;
}

int suggested_hap_chunks(int width, int height) {
  const int64_t pixels = int64_t{width} * height;
  return static_cast<int>(std::clamp<int64_t>((pixels + kPixelsPerChunk - 1) / kPixelsPerChunk, 1, kMaxChunks));
}

Bytes write_hap_frame(HapTexture texture, Bytes blocks, const HapWriteOptions& options,
                      std::vector<std::byte>& buffer) {
  ENSURE(!blocks.empty() && blocks.size() < size_t{1} << 31);
  const int chunks = options.snappy ? even_chunks(blocks.size(), options.chunks) : 1;
  const size_t body_bound =
      instructions_bytes(static_cast<size_t>(chunks)) +
      static_cast<size_t>(chunks) * snappy_max_compressed_length(blocks.size() / static_cast<size_t>(chunks));
  if (buffer.size() < kHapLongHeader + body_bound) buffer.resize(kHapLongHeader + body_bound);

  // The body is written behind room for the longest header; the header then goes right before it.
  const MutableBytes body = MutableBytes(buffer).subspan(kHapLongHeader);
  const Stored stored = chunks > 1 ? Stored{HapCompressor::chunked, write_chunked(blocks, chunks, body)}
                                   : store(blocks, options.snappy, body);
  const size_t header_bytes = hap_header_bytes(stored.bytes);
  const MutableBytes frame = MutableBytes(buffer).subspan(kHapLongHeader - header_bytes, header_bytes + stored.bytes);
  store_hap_header(frame, section_type(stored.compressor, texture), stored.bytes);
  return frame;
}

}  // namespace texcast::container
