// hap_frame.h — one frame of Hap video: texture blocks in one image or two, plain or Snappy-compressed, whole or in
// chunks that several threads pack and unpack.
//
// An image is a section: a header (4 bytes: size LE24 and type; or 8 bytes: three zeros, type, size LE32) and its body.
// The type's high nibble is the compressor and its low nibble the texture. Two images lie in a section around both.
// docs/format.md, "Recordings", has the layout. Bytes only: no file, no codec. All functions are thread-safe on
// distinct buffers.
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
  bc4 = 0x1,  // one or more planes of BC4; what they mean is the container's FourCC to say
  bc6h_unsigned = 0x2,
  bc6h_signed = 0x3,
  bc1 = 0xB,
  bc7 = 0xC,
  bc3 = 0xE,
  ycocg_bc3 = 0xF,  // scaled YCoCg
};
std::string_view name(HapTexture texture);

// What a frame holds: one image or two (of different textures), whose blocks follow one another in memory.
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

// How a texture of this format lies in a Hap frame.
HapImages hap_images(const TextureDesc& desc);

inline constexpr int kMaxHapChunks = 64;  // an image, when written; readers take any number

struct HapWriteOptions {
  bool snappy = true;
  int chunks =
      1;  // an image, 1..kMaxHapChunks: as many threads can unpack it. Lowered to what divides the blocks evenly.
  Workers* workers = nullptr;  // chunks are packed on these threads too
};

// A chunk count that keeps every chunk near two million pixels, so that one core decompresses each in about a
// millisecond.
int suggested_hap_chunks(int width, int height);

// FFmpeg takes no frame of two images whose sections have long headers. False where such a frame could be that large
// (16 MiB); always true of one image.
bool has_short_hap_headers(const HapImages& images);

// Writes one frame into `buffer`, which grows on the first calls and is reused afterwards, and returns the part of it
// that is the frame. `blocks` are those of all images, one behind the other: none of them empty, together below 2 GiB,
// and has_short_hap_headers(images) (else misuse). Compression that would not make an image or chunk smaller is left
// out.
Bytes write_hap_frame(const HapImages& images, Bytes blocks, const HapWriteOptions& options,
                      std::vector<std::byte>& buffer);

struct HapReadOptions {
  Workers* workers = nullptr;  // chunks are unpacked on these threads too
  // Snappy copies from what it has written before. Where `blocks` is memory that may only be written, or is slow to
  // read (a mapped GPU buffer), this is other memory of at least that size, and each chunk goes through it.
  MutableBytes staging{};
};

// Decompresses one frame into `blocks`, which must come out filled exactly (its size: images.total_bytes(), else
// misuse). The bytes come from outside: any legal frame is read (both header sizes, images and chunk tables in any
// order, with or without offsets, unknown sections skipped), anything else is a Failure that says what is wrong;
// `blocks` then has unspecified contents. Allocates nothing.
Result<void> read_hap_frame(Bytes frame, const HapImages& images, MutableBytes blocks,
                            const HapReadOptions& options = {});

// How a frame is stored, without unpacking it.
struct HapFrameSummary {
  size_t chunks = 0;         // of all images; an image in one piece counts as one
  size_t snappy_chunks = 0;  // the others are plain
};
Result<HapFrameSummary> summarize_hap_frame(Bytes frame, const HapImages& images);

// The most bytes of blocks that a frame of so many can unpack to: where they are too few, nothing need be allocated.
constexpr size_t most_hap_blocks(size_t frame_bytes) { return frame_bytes * 22; }

}  // namespace texcast::container
