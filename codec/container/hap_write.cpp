#include <snappy-c.h>

#include <algorithm>
#include <cstring>

#include "base/ensure.h"
#include "container/hap_frame.h"
#include "hap_section.h"

namespace texcast::container {
namespace {

constexpr int64_t kPixelsPerChunk = 2'300'000;
constexpr size_t kMostChunks = kMaxHapImages * static_cast<size_t>(kMaxHapChunks);  // of a frame

uint8_t section_type(HapCompressor compressor, HapTexture texture) {
  return static_cast<uint8_t>(static_cast<int>(compressor) << 4 | static_cast<int>(texture));
}

size_t block_bytes(HapTexture texture) { return texture == HapTexture::bc1 || texture == HapTexture::bc4 ? 8 : 16; }

// Whole blocks in every chunk, the same number in each: some players take no others.
size_t even_chunks(const HapImage& image, int wanted) {
  const size_t blocks = image.bytes / block_bytes(image.texture);
  if (image.bytes % block_bytes(image.texture) != 0) return 1;
  size_t chunks = static_cast<size_t>(wanted);
  while (blocks % chunks != 0) --chunks;
  return chunks;
}

// Decode instructions: their own header, then the two tables with a header each. At most 64 chunks, so short headers.
size_t instructions_bytes(size_t chunks) { return chunks > 1 ? 3 * kHapShortHeader + 5 * chunks : 0; }

struct Chunk {
  Bytes plain;
  MutableBytes slot;  // room for what Snappy makes of it, behind where it will lie
  bool snappy = false;
  Bytes stored;  // `plain`, or the start of `slot`
};

void pack(Chunk& chunk) {
  chunk.stored = chunk.plain;
  if (!chunk.snappy) return;
  size_t bytes = chunk.slot.size();
  const snappy_status status = snappy_compress(reinterpret_cast<const char*>(chunk.plain.data()), chunk.plain.size(),
                                               reinterpret_cast<char*>(chunk.slot.data()), &bytes);
  ENSURE(status == SNAPPY_OK);
  chunk.snappy = bytes < chunk.plain.size();
  if (chunk.snappy) chunk.stored = chunk.slot.first(bytes);
}

// The chunks of one image: packed side by side, then put together.
struct PackedImage {
  HapImage image;
  std::span<Chunk> chunks;

  size_t chunk_bytes() const {
    size_t bytes = 0;
    for (const Chunk& chunk : chunks) bytes += chunk.stored.size();
    return bytes;
  }
  // Chunks pay only where they are smaller than the image with their tables.
  bool is_plain() const {
    return std::none_of(chunks.begin(), chunks.end(), [](const Chunk& c) { return c.snappy; }) ||
           instructions_bytes(chunks.size()) + chunk_bytes() >= image.bytes;
  }
  size_t body_bytes() const { return is_plain() ? image.bytes : instructions_bytes(chunks.size()) + chunk_bytes(); }
  size_t section_bytes() const { return hap_header_bytes(body_bytes()) + body_bytes(); }
  HapCompressor compressor() const {
    if (is_plain()) return HapCompressor::none;
    return chunks.size() > 1 ? HapCompressor::chunked : HapCompressor::snappy;
  }

  // Gives what is behind the section. Chunks only move towards the start, over what has been moved already.
  MutableBytes assemble(MutableBytes out, Bytes blocks) const {
    const size_t body = body_bytes();
    store_hap_header(out, section_type(compressor(), image.texture), body);
    out = out.subspan(hap_header_bytes(body));
    if (is_plain()) {
      std::memcpy(out.data(), blocks.data(), blocks.size());
      return out.subspan(blocks.size());
    }
    if (chunks.size() > 1) {
      store_tables(out);
      out = out.subspan(instructions_bytes(chunks.size()));
    }
    for (const Chunk& chunk : chunks) {
      std::memmove(out.data(), chunk.stored.data(), chunk.stored.size());
      out = out.subspan(chunk.stored.size());
    }
    return out;
  }

  void store_tables(MutableBytes out) const {
    const size_t count = chunks.size(), compressors = 2 * kHapShortHeader,
                 sizes = compressors + count + kHapShortHeader;
    store_hap_header(out, kHapDecodeInstructions, instructions_bytes(count) - kHapShortHeader);
    store_hap_header(out.subspan(kHapShortHeader), kHapCompressorTable, count);
    store_hap_header(out.subspan(compressors + count), kHapSizeTable, 4 * count);
    for (size_t i = 0; i < count; ++i) {
      const HapCompressor kind = chunks[i].snappy ? HapCompressor::snappy : HapCompressor::none;
      store_le<1>(out, compressors + i, static_cast<uint64_t>(kind));
      store_le32(out, sizes + 4 * i, static_cast<uint32_t>(chunks[i].stored.size()));
    }
  }
};

// Bytes of an image's section with the slots of its chunks, whatever they hold.
size_t room_for(const HapImage& image, size_t chunks) {
  const size_t body = instructions_bytes(chunks) + chunks * snappy_max_compressed_length(image.bytes / chunks);
  return hap_header_bytes(body) + body;
}

}  // namespace

HapImages hap_images(const TextureDesc& desc) {
  const TextureLayout layout = texture_layout(desc);
  switch (desc.format) {
    case TextureFormat::bc1: return HapImages({HapTexture::bc1, layout.total_bytes});
    case TextureFormat::ycocg_dxt5: return HapImages({HapTexture::ycocg_bc3, layout.total_bytes});
    case TextureFormat::bc3: return HapImages({HapTexture::bc3, layout.total_bytes});
    case TextureFormat::ycocg_bc4_420:
    case TextureFormat::ycocg_bc4_422:
    case TextureFormat::ycocg_bc4_444: break;  // an image a plane, each in a frame of its own
  }
  ENSURE(!"a texture format that Hap sections have");
  return HapImages({HapTexture::bc1, layout.total_bytes});
}

int suggested_hap_chunks(int width, int height) {
  const int64_t pixels = int64_t{width} * height;
  return static_cast<int>(std::clamp<int64_t>((pixels + kPixelsPerChunk - 1) / kPixelsPerChunk, 1, kMaxHapChunks));
}

bool has_short_hap_headers(const HapImages& images) {
  const auto all = images.all();
  return all.size() == 1 || images.total_bytes() + all.size() * kHapShortHeader < kHapShortLimit;
}

Bytes write_hap_frame(const HapImages& images, Bytes blocks, const HapWriteOptions& options,
                      std::vector<std::byte>& buffer) {
  ENSURE(blocks.size() == images.total_bytes() && blocks.size() < size_t{1} << 31);
  ENSURE(options.chunks >= 1 && options.chunks <= kMaxHapChunks);
  ENSURE(has_short_hap_headers(images));
  const auto all = images.all();
  const size_t outer_header = all.size() > 1 ? kHapShortHeader : 0;
  std::array<size_t, kMaxHapImages> counts{};
  size_t room = outer_header;
  for (size_t i = 0; i < all.size(); ++i) {
    ENSURE(all[i].bytes > 0);
    counts[i] = options.snappy ? even_chunks(all[i], options.chunks) : 1;
    room += room_for(all[i], counts[i]);
  }
  if (buffer.size() < room) buffer.resize(room);

  std::array<Chunk, kMostChunks> chunks;
  std::array<PackedImage, kMaxHapImages> packed;
  size_t count = 0, plain_at = 0, room_at = outer_header;
  for (size_t i = 0; i < all.size(); ++i) {
    packed[i] = {all[i], std::span(chunks).subspan(count, counts[i])};
    const size_t size = all[i].bytes / counts[i], slot = snappy_max_compressed_length(size);
    size_t slot_at = room_at + room_for(all[i], counts[i]) - counts[i] * slot;
    for (Chunk& chunk : packed[i].chunks) {
      chunk = {.plain = blocks.subspan(plain_at, size),
               .slot = MutableBytes(buffer).subspan(slot_at, slot),
               .snappy = options.snappy,
               .stored = {}};
      plain_at += size;
      slot_at += slot;
    }
    room_at = slot_at;
    count += counts[i];
  }
  const auto pack_chunk = [&](size_t i) { pack(chunks[i]); };
  if (options.workers && options.snappy)
    options.workers->parallel_for(count, pack_chunk);
  else
    for (size_t i = 0; i < count; ++i) pack_chunk(i);

  size_t frame_bytes = outer_header;
  for (size_t i = 0; i < all.size(); ++i) frame_bytes += packed[i].section_bytes();
  MutableBytes out(buffer);
  if (outer_header > 0) store_hap_header(out, kHapMultipleImages, frame_bytes - outer_header);
  out = out.subspan(outer_header);
  for (size_t i = 0; i < all.size(); ++i) {
    out = packed[i].assemble(out, blocks.first(all[i].bytes));
    blocks = blocks.subspan(all[i].bytes);
  }
  return Bytes(buffer).first(frame_bytes);
}

}  // namespace texcast::container
