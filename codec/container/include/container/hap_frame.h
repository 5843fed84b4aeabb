// hap_frame.h — one frame of Hap video: texture blocks in one image or two, raw or compressed by Snappy, whole or in
// chunks that several threads compress and decompress.
//
// An image is a section: a header (4 bytes: size LE24 and type; or 8 bytes: three zeros, type, size LE32) and its body.
// The type's high nibble is the compressor and its low nibble the texture. Two images are nested in an enclosing
// section. docs/format.md, "Recordings", has the layout. Works on bytes alone: no file, no codec. All functions are
// thread-safe on distinct buffers.
//
//     const HapImages images = hap_images(desc);
//     const Bytes packet = write_hap_frame(images, blocks, {.chunks = 4, .workers = &workers}, buffer);
//     const auto read = read_hap_frame(packet, images, blocks, {.workers = &workers});
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "base/workers.h"
#include "texcast/format.h"

namespace texcast::container {

// The low nibble of a section's type. The values are Hap's.
enum class HapTexture : uint8_t {
  bc4 = 0x1,  // one or more planes of BC4; the container's FourCC tells their meaning
  bc6h_unsigned = 0x2,
  bc6h_signed = 0x3,
  bc1 = 0xB,
  bc7 = 0xC,
  bc3 = 0xE,
  ycocg_bc3 = 0xF,  // scaled YCoCg
};
std::string_view name(HapTexture texture);

// The contents of a frame: one image or two (of different textures), whose blocks follow one another in memory.
struct HapImage {
  HapTexture texture = HapTexture::bc1;
  size_t bytes = 0;  // of blocks
};
inline constexpr size_t kMaxHapImages = 2;
class HapImages {
 public:
  explicit HapImages(HapImage only) : images_{only}, count_(1) {}
  HapImages(HapImage first, HapImage second) : images_{first, second}, count_(2) {}
  std::span<const HapImage> all() const { return std::span(images_).first(count_); }
  size_t total_bytes() const { return images_[0].bytes + images_[1].bytes; }

 private:
  std::array<HapImage, kMaxHapImages> images_;
  size_t count_;
};

// The images of a Hap frame that hold a texture of this format.
HapImages hap_images(const TextureDesc& desc);

inline constexpr int kMaxHapChunks = 64;  // per image when writing; readers take any number

struct HapWriteOptions {
  bool snappy = true;
  // Per image, 1..kMaxHapChunks: so many threads can decompress it. Lowered to a number that divides the blocks evenly.
  int chunks = 1;
  Workers* workers = nullptr;  // chunks are compressed on these threads too
};

// A number of chunks of about two million pixels each, so that a core decompresses one in about a millisecond.
int suggested_hap_chunks(int width, int height);

// FFmpeg rejects frames of two images whose sections have long headers. False if such a frame could be that large (16
// MiB); always true of one image.
bool has_short_hap_headers(const HapImages& images);

// Writes one frame into `buffer`, which grows on the first calls and is reused afterwards, and returns the part of it
// that is the frame. `blocks` holds the blocks of all images one after the other: no image is empty, they are below 2
// GiB together, and has_short_hap_headers(images) is true (else misuse). An image or chunk that compression would not
// make smaller is stored raw.
Bytes write_hap_frame(const HapImages& images, Bytes blocks, const HapWriteOptions& options,
                      std::vector<std::byte>& buffer);

struct HapReadOptions {
  Workers* workers = nullptr;  // chunks are decompressed on these threads too
  // Snappy copies from its earlier output. If `blocks` is write-only or slow to read (a mapped GPU buffer), pass other
  // memory of at least that size here; each chunk is decompressed there first.
  MutableBytes staging{};
  // Chunks without a byte of these ranges of `blocks` are not decompressed, and leave their part as it was. Empty: all
  // are.
  std::span<const MemoryRange> wanted{};
};

// Decompresses one frame into `blocks`, which it must fill exactly (size: images.total_bytes(), else misuse). The frame
// may hold any bytes. Every legal frame is read (both header sizes, images and chunk tables in any order, with or
// without offsets, unknown sections skipped). Anything else is a Failure that tells what is wrong, and leaves the
// contents of `blocks` unspecified. Allocates nothing.
Result<void> read_hap_frame(Bytes frame, const HapImages& images, MutableBytes blocks,
                            const HapReadOptions& options = {});

// How a frame is stored. Found without decompressing it.
struct HapFrameSummary {
  size_t chunks = 0;         // of all images; an unchunked image counts as one
  size_t snappy_chunks = 0;  // the others are raw
};
Result<HapFrameSummary> summarize_hap_frame(Bytes frame, const HapImages& images);

// An upper bound of the bytes of blocks in a frame of that size. If they are too few for a texture, nothing need be
// allocated.
constexpr size_t most_hap_blocks(size_t frame_bytes) { return frame_bytes * 22; }

}  // namespace texcast::container
