#include <snappy-c.h>

#include <algorithm>
#include <cstring>

#include "base/ensure.h"
#include "hap_parts.h"

namespace texcast::container {
namespace {

constexpr int64_t kPixelsPerChunk = 2'300'000;
constexpr size_t kMostChunks = kMaxHapImages * static_cast<size_t>(kMaxHapChunks);  // in a frame

uint8_t section_type(HapCompressor compressor, HapTexture texture) {
  return static_cast<uint8_t>(static_cast<int>(compressor) << 4 | static_cast<int>(texture));
}

size_t block_bytes(HapTexture texture) { return texture == HapTexture::bc1 || texture == HapTexture::bc4 ? 8 : 16; }

// Hap distinguishes scaled YCoCg from other BC3.
HapTexture hap_texture(const Format& format, size_t plane) {
  const bool is_scaled = format.model == ColorModel::scaled_ycocg || format.model == ColorModel::scaled_ycocg_alpha;
  if (is_scaled && plane == 0) return HapTexture::ycocg_bc3;
  return HapTexture{coding(format.planes[plane].coding).hap_texture};
}

// Every chunk has the same number of whole blocks, as some players require this.
size_t even_chunks(const HapImage& image, int wanted) {
  const size_t blocks = image.bytes / block_bytes(image.texture);
  if (image.bytes % block_bytes(image.texture) != 0) return 1;
  size_t chunks = static_cast<size_t>(wanted);
  while (blocks % chunks != 0) --chunks;
  return chunks;
}

// Decode instructions: their own header, then two tables with a header each. There are at most 64 chunks, so the
// headers are short.
size_t instructions_bytes(size_t chunks) { return chunks > 1 ? 3 * kHapShortHeader + 5 * chunks : 0; }

struct Chunk {
  Bytes plain;
  MutableBytes slot;  // room for the output of Snappy, behind its final place
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

// The chunks of one image: compressed side by side, then assembled.
struct PackedImage {
  HapImage image;
  std::span<Chunk> chunks;

  size_t chunk_bytes() const {
    size_t bytes = 0;
    for (const Chunk& chunk : chunks) bytes += chunk.stored.size();
    return bytes;
  }
  // Chunks pay only if they are smaller, with their tables, than the uncompressed image.
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

  // Returns the memory behind the section. Chunks only move towards the start, over memory whose contents have been
  // moved.
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

// Bytes of an image's section including the slots of its chunks, whatever they come to hold.
size_t room_for(const HapImage& image, size_t chunks) {
  const size_t body = instructions_bytes(chunks) + chunks * snappy_max_compressed_length(image.bytes / chunks);
  return hap_header_bytes(body) + body;
}

size_t outer_header_bytes(const HapImages& images) { return images.all().size() > 1 ? kHapShortHeader : 0; }

// A frame that is being written: its chunks, and the images that they form.
class Packing {
 public:
  // Chunks are in `buffer`, which grows if it is too small. There is room for header and tables before each image.
  Packing(const HapImages& images, Bytes blocks, const HapWriteOptions& options, std::vector<std::byte>& buffer)
      : images_(images), blocks_(blocks) {
    size_t room = outer_header_bytes(images);
    for (const HapImage& image : images.all()) {
      ENSURE(image.bytes > 0);
      PackedImage& packed = packed_[count_++];
      const size_t chunks = options.snappy ? even_chunks(image, options.chunks) : 1;
      packed = {image, std::span(chunks_).subspan(chunk_count_, chunks)};
      chunk_count_ += chunks;
      room += room_for(image, chunks);
    }
    if (buffer.size() < room) buffer.resize(room);
    lay_out(options.snappy, buffer);
  }

  void pack(Workers* workers) {
    const auto pack_chunk = [this](size_t i) { container::pack(chunks_[i]); };
    if (workers)
      workers->parallel_for(chunk_count_, pack_chunk);
    else
      for (size_t i = 0; i < chunk_count_; ++i) pack_chunk(i);
  }

  // Returns the number of bytes of the frame, which begins at the start of the buffer.
  size_t assemble(MutableBytes out) const {
    const size_t outer = outer_header_bytes(images_);
    size_t sections = 0;
    for (size_t i = 0; i < count_; ++i) sections += packed_[i].section_bytes();
    if (outer > 0) store_hap_header(out, kHapMultipleImages, sections);
    out = out.subspan(outer);
    Bytes plain = blocks_;
    for (size_t i = 0; i < count_; ++i) {
      out = packed_[i].assemble(out, plain.first(packed_[i].image.bytes));
      plain = plain.subspan(packed_[i].image.bytes);
    }
    return outer + sections;
  }

 private:
  void lay_out(bool snappy, MutableBytes buffer) {
    Bytes plain = blocks_;
    buffer = buffer.subspan(outer_header_bytes(images_));
    for (size_t i = 0; i < count_; ++i) {
      const HapImage& image = packed_[i].image;
      const size_t chunks = packed_[i].chunks.size(), size = image.bytes / chunks,
                   slot = snappy_max_compressed_length(size);
      buffer = buffer.subspan(room_for(image, chunks) - chunks * slot);
      for (Chunk& chunk : packed_[i].chunks) {
        chunk = {.plain = plain.first(size), .slot = buffer.first(slot), .snappy = snappy, .stored = {}};
        plain = plain.subspan(size);
        buffer = buffer.subspan(slot);
      }
    }
  }

  const HapImages& images_;
  const Bytes blocks_;
  std::array<Chunk, kMostChunks> chunks_;
  std::array<PackedImage, kMaxHapImages> packed_;
  size_t count_ = 0;
  size_t chunk_count_ = 0;
};

}  // namespace

HapImages hap_images(const TextureDesc& desc) {
  const Format& format = format_row(desc.format);
  const TextureLayout layout = texture_layout(desc);
  ENSURE(format.track.kind == TrackKind::hap);
  const auto image = [&](size_t plane) { return HapImage{hap_texture(format, plane), layout.planes[plane].bytes}; };
  return layout.plane_count == 1 ? HapImages(image(0)) : HapImages(image(0), image(1));
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
  Packing packing(images, blocks, options, buffer);
  packing.pack(options.workers);
  return Bytes(buffer).first(packing.assemble(buffer));
}

}  // namespace texcast::container
