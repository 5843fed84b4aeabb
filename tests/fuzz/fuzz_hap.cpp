// libFuzzer: any bytes as a Hap frame. The first two choose the texture and how many blocks are expected.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <vector>

#include "container/hap_frame.h"

using namespace texcast;

namespace {

constexpr container::HapTexture kTextures[] = {container::HapTexture::bc1, container::HapTexture::bc4,
                                               container::HapTexture::bc3, container::HapTexture::bc7};

// What was written must be read back the same, whatever the blocks are.
void round_trip(Bytes blocks, int chunks) {
  if (blocks.empty()) return;
  const container::HapImages images({container::HapTexture::bc1, blocks.size()});
  std::vector<std::byte> buffer, back(blocks.size());
  const Bytes frame = container::write_hap_frame(images, blocks, {.chunks = chunks}, buffer);
  if (!container::read_hap_frame(frame, images, back)) std::abort();
  if (!std::equal(back.begin(), back.end(), blocks.begin())) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  // Exact heap blocks, so that the sanitizer sees a step outside either.
  const std::vector<std::byte> frame(reinterpret_cast<const std::byte*>(data) + 2,
                                     reinterpret_cast<const std::byte*>(data) + size);
  std::vector<std::byte> blocks(8 * (size_t{data[1]} + 1));
  const container::HapImages images({kTextures[data[0] % std::size(kTextures)], blocks.size()});
  (void)container::read_hap_frame(frame, images, blocks).has_value();
  round_trip(frame, data[0] % 64 + 1);
  return 0;
}
