// One unit of a compact stream to the unit decoder, to the fast one, and to the decoder that was written from
// docs/compact.md alone: either all refuse it, or all give the same. Nothing but the unit is touched. Input: format,
// width - 1, height - 1, part (strips - 1 + strip; bit 4: alone, bit 5: lossy), tile; then the unit. The frame before
// is the input, again and again.
#include <algorithm>
#include <vector>

#include "../compact/cut_formats.h"
#include "base/ensure.h"
#include "oracle.h"
#include "plain_slice_decoder.h"
#include "slice_decoder.h"

using namespace texcast;
using namespace texcast::compact;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const std::vector<TextureFormat> formats = textures::cut_formats();
  const Bytes input(reinterpret_cast<const std::byte*>(data), size);
  if (size < 5) return 0;
  const TextureDesc desc{.format = formats[data[0] % formats.size()], .width = 1 + data[1], .height = 1 + data[2]};
  const TileGrid grid(desc);
  const uint32_t part = std::min(data[3] & 15u, 14u);
  uint32_t sub_slices = 1;
  while (part >= 2 * sub_slices - 1) sub_slices *= 2;
  if (sub_slices > static_cast<uint32_t>(grid.most_sub_slices())) return 0;
  const Slice slice{data[4] % grid.tiles(), static_cast<uint8_t>(sub_slices),
                    static_cast<uint8_t>(part - (sub_slices - 1))};
  const bool intra = (data[3] & 16) != 0, lossy = (data[3] & 32) != 0;
  const Bytes coded = input.subspan(5);

  std::vector<std::byte> before(grid.texture_bytes());
  for (size_t i = 0; i < before.size(); ++i) before[i] = input[i % size] ^ static_cast<std::byte>(i / size * 29 & 0xFF);
  std::vector<std::byte> texture(before.size(), std::byte{0xA5});
  const bool decoded =
      decode_slice_plainly(grid, slice, coded, lossy, intra ? nullptr : before.data(), texture.data(), nullptr);

  std::vector<std::byte> fast(before.size(), std::byte{0xA5});
  ENSURE(decoded == decode_slice(grid, slice, coded, lossy, intra ? nullptr : before.data(), fast.data(), nullptr));
  if (decoded) ENSURE(texture == fast);

  std::vector<std::byte> expected(before.size(), std::byte{0xA5});
  oracle::Decoder oracle(desc);
  bool accepted = true;
  try {
    oracle.decode_slice_plainly(
        {slice.tile, slice.sub_slices, slice.sub_slice, (lossy ? 3u : 0u) + (intra ? 1u : 0u), coded},
        intra ? nullptr : &before, expected);
  } catch (const oracle::Damage&) {
    accepted = false;
  }
  ENSURE(decoded == accepted);
  if (decoded) ENSURE(texture == expected);
  // What lies outside.
  for (auto* made : {&texture, &fast}) {
    grid.for_each_sub_block(
        slice, [&](size_t at) { std::fill_n(made->begin() + static_cast<std::ptrdiff_t>(at), 8, std::byte{0xA5}); });
    ENSURE(std::ranges::all_of(*made, [](std::byte byte) { return byte == std::byte{0xA5}; }));
  }
  return 0;
}
