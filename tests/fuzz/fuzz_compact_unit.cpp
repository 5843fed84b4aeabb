// One unit of a compact stream to the unit decoder, to the fast one, and to the decoder that was written from
// docs/compact.md alone: either all refuse it, or all give the same. Nothing but the unit is touched. Input: format,
// width - 1, height - 1, part (strips - 1 + strip; bit 4: alone, bit 5: lossy), tile; then the unit. The frame before
// is the input, again and again.
#include <algorithm>
#include <vector>

#include "../compact/cut_formats.h"
#include "base/ensure.h"
#include "fast_unit_decoder.h"
#include "oracle.h"
#include "unit_decoder.h"

using namespace texcast;
using namespace texcast::compact;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const std::vector<TextureFormat> formats = textures::cut_formats();
  const Bytes input(reinterpret_cast<const std::byte*>(data), size);
  if (size < 5) return 0;
  const TextureDesc desc{.format = formats[data[0] % formats.size()], .width = 1 + data[1], .height = 1 + data[2]};
  const TileGrid grid(desc);
  const uint32_t part = std::min(data[3] & 15u, 14u);
  uint32_t strips = 1;
  while (part >= 2 * strips - 1) strips *= 2;
  if (strips > static_cast<uint32_t>(grid.most_strips())) return 0;
  const Unit unit{data[4] % grid.tiles(), static_cast<uint8_t>(strips), static_cast<uint8_t>(part - (strips - 1))};
  const bool alone = (data[3] & 16) != 0, lossy = (data[3] & 32) != 0;
  const Bytes coded = input.subspan(5);

  std::vector<std::byte> before(grid.texture_bytes());
  for (size_t i = 0; i < before.size(); ++i) before[i] = input[i % size] ^ static_cast<std::byte>(i / size * 29 & 0xFF);
  std::vector<std::byte> texture(before.size(), std::byte{0xA5});
  const bool decoded = decode_unit(grid, unit, coded, lossy, alone ? nullptr : before.data(), texture.data(), nullptr);

  std::vector<std::byte> fast(before.size(), std::byte{0xA5});
  ENSURE(decoded == decode_unit_fast(grid, unit, coded, lossy, alone ? nullptr : before.data(), fast.data(), nullptr));
  if (decoded) ENSURE(texture == fast);

  std::vector<std::byte> expected(before.size(), std::byte{0xA5});
  oracle::Decoder oracle(desc);
  bool accepted = true;
  try {
    oracle.decode_unit({unit.tile, unit.strips, unit.strip, (lossy ? 3u : 0u) + (alone ? 1u : 0u), coded},
                       alone ? nullptr : &before, expected);
  } catch (const oracle::Damage&) {
    accepted = false;
  }
  ENSURE(decoded == accepted);
  if (decoded) ENSURE(texture == expected);
  // What lies outside.
  for (auto* made : {&texture, &fast}) {
    grid.for_each_half(
        unit, [&](size_t at) { std::fill_n(made->begin() + static_cast<std::ptrdiff_t>(at), 8, std::byte{0xA5}); });
    ENSURE(std::ranges::all_of(*made, [](std::byte byte) { return byte == std::byte{0xA5}; }));
  }
  return 0;
}
