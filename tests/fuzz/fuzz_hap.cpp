// Any bytes as a Hap frame. The first two bytes select the expected content, and how it is read:
//   byte 0  bits 0 and 1: the texture; bit 6: two images instead; bit 7: with worker threads and staging memory
//   byte 1  the number of expected blocks - 1
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <vector>

#include "container/hap_frame.h"

using namespace texcast;
using container::HapImages;
using container::HapTexture;

namespace {

constexpr HapTexture kTextures[] = {HapTexture::bc1, HapTexture::bc4, HapTexture::bc3, HapTexture::bc7};

Workers& workers() {
  static Workers two(2);
  return two;
}

// Hap Q Alpha: blocks of 16 bytes, then the same number of 8 bytes.
HapImages two_images(size_t blocks) {
  return HapImages({HapTexture::ycocg_bc3, 16 * blocks}, {HapTexture::bc4, 8 * blocks});
}

// The result must be the same with one thread or several, and with staging memory or without.
void read(Bytes frame, const HapImages& images, bool with_workers) {
  // Heap memory of the exact size, so that a sanitizer sees accesses outside.
  std::vector<std::byte> blocks(images.total_bytes());
  const bool is_whole = container::read_hap_frame(frame, images, blocks).has_value();
  const auto summary = container::summarize_hap_frame(frame, images);
  if (is_whole && (!summary || blocks.size() > container::most_hap_blocks(frame.size()))) std::abort();
  if (!with_workers) return;
  std::vector<std::byte> again(blocks.size()), staging(blocks.size());
  const auto outcome = container::read_hap_frame(frame, images, again, {.workers = &workers(), .staging = staging});
  if (outcome.has_value() != is_whole || (is_whole && again != blocks)) std::abort();
}

// Any blocks that are written must be read back unchanged.
void round_trip(Bytes blocks, const HapImages& images, int chunks, bool with_workers) {
  std::vector<std::byte> buffer, back(blocks.size());
  Workers* const threads = with_workers ? &workers() : nullptr;
  const Bytes frame = container::write_hap_frame(images, blocks, {.chunks = chunks, .workers = threads}, buffer);
  if (frame.size() > blocks.size() + 12) std::abort();
  if (!container::read_hap_frame(frame, images, back, {.workers = threads})) std::abort();
  if (!std::equal(back.begin(), back.end(), blocks.begin())) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  const bool is_double = (data[0] & 0x40) != 0, with_workers = (data[0] & 0x80) != 0;
  const std::vector<std::byte> frame(reinterpret_cast<const std::byte*>(data) + 2,
                                     reinterpret_cast<const std::byte*>(data) + size);
  const size_t blocks = size_t{data[1]} + 1;
  read(frame, is_double ? two_images(blocks) : HapImages({kTextures[data[0] % std::size(kTextures)], 8 * blocks}),
       with_workers);
  const int chunks = data[0] % 64 + 1;
  if (const size_t whole = frame.size() / 24; is_double && whole > 0)
    round_trip(Bytes(frame).first(24 * whole), two_images(whole), chunks, with_workers);
  else if (!frame.empty())
    round_trip(frame, HapImages({HapTexture::bc1, frame.size()}), chunks, with_workers);
  return 0;
}
