// One slice of a coded stream, decoded by the slice decoder and by the oracle, which was written from docs/compact.md
// alone: either both refuse it, or both give the same sub-blocks and read the same tiles. The decoder writes nothing
// outside the slice. Input: format, width - 1, height - 1, part (sub-slices - 1 + sub-slice, or 15: all tiles of a row;
// bit 4: intra, bit 5: lossy, bit 6: a sample slice), tile; then the slice. The reference frame is the input, repeated.
#include <algorithm>
#include <vector>

#include "../compact/cut_formats.h"
#include "base/ensure.h"
#include "oracle_check.h"

using namespace texcast;
using namespace texcast::compact;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const std::vector<TextureFormat> formats = textures::cut_formats();
  const Bytes input(reinterpret_cast<const std::byte*>(data), size);
  if (size < 5) return 0;
  const TextureDesc desc{.format = formats[data[0] % formats.size()], .width = 1 + data[1], .height = 1 + data[2]};
  const TileGrid grid(desc);
  const uint32_t part = data[3] & 15u;
  uint32_t sub_slices = 1;
  while (part < 15 && part >= 2 * sub_slices - 1) sub_slices *= 2;
  if (sub_slices > static_cast<uint32_t>(grid.most_sub_slices())) return 0;
  Slice slice{data[4] % grid.tiles(), static_cast<uint8_t>(sub_slices), static_cast<uint8_t>(part - (sub_slices - 1))};
  if (part == 15) {
    const auto across = static_cast<uint32_t>(grid.across());
    if (across < 2 || (data[3] & 32) == 0) return 0;  // only lossy slices have several tiles
    slice = {.tile = slice.tile / across * across, .tiles = static_cast<uint16_t>(across)};
  }
  const bool of_samples = (data[3] & 64) != 0 && slice.tiles == 1;
  const bool intra = of_samples || (data[3] & 16) != 0, lossy = !of_samples && (data[3] & 32) != 0;

  TextureBytes reference(grid.texture_bytes());
  for (size_t i = 0; i < reference.size(); ++i)
    reference[i] = input[i % size] ^ static_cast<std::byte>(i / size * 29 & 0xFF);
  const TextureBytes around(reference.size(), std::byte{0xA5});
  const SliceToDecode what{grid,   slice,   input.subspan(5), lossy, intra ? nullptr : &reference,
                           around, nullptr, of_samples};
  oracle::Decoder oracle(desc);
  const OracleAnswer answer = answer_of_oracle(oracle, what);

  std::vector<uint8_t> right(grid.tiles(), 1);
  ENSURE(agrees(what, answer, right));
  if (!answer.decoded) return 0;
  for (uint8_t& tile : right) {
    tile = 0;
    ENSURE(agrees(what, answer, right));
    tile = 1;
  }
  TextureBytes texture = answer.texture;
  grid.for_each_sub_block(
      slice, [&](size_t at) { std::fill_n(texture.begin() + static_cast<std::ptrdiff_t>(at), 8, std::byte{0xA5}); });
  ENSURE(texture == around);
  return 0;
}
