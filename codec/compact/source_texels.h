// source_texels.h — the texels that a lossy stream is to come near to, half-block by half-block.
#pragma once

#include <algorithm>

#include "base/bytes.h"
#include "compact/tile_grid.h"
#include "half_block.h"

namespace texcast::compact {

// What blocks decode to, as a channel or three of 8 bits: what is lost is counted in these.
template <typename Half>
void decoded_texels(HalfBlock kind, uint64_t half, Texels& out) {
  uint8_t palette[Half::kChannels][Half::kLevels];
  const uint32_t ends = ends_of<Half>(half);
  palette_of<Half>(kind, ends, palette);
  const Levels levels = levels_of<Half>(half, Half::full(kind, ends));
  for (int c = 0; c < Half::kChannels; ++c)
    for (int i = 0; i < 16; ++i) out.at[c][i] = palette[c][levels[i]];
}

// The sum of squared differences.
template <typename Half>
int difference_of(const Texels& a, const Texels& b) {
  int sum = 0;
  for (int c = 0; c < Half::kChannels; ++c)
    for (int i = 0; i < 16; ++i) {
      const int difference = a.at[c][i] - b.at[c][i];
      sum += difference * difference;
    }
  return sum;
}

// How much a squared difference of a component's texel is of those of red, green and blue, times 16 (Y'CoCg: Y is in
// all three, Co in two, Cg in three; a texel of subsampled chroma is in four pixels, whose interpolation evens out some
// of it).
inline int weight_of(const TileGrid& grid, int i) {
  const Component& component = grid.component(i);
  if (component.kind != HalfBlock::channel) return 16;
  if (component.tables != TableSet::chroma) return 48;
  const int weight = i == 1 ? 32 : 48;
  return component.across * component.down == 4 ? weight * 5 / 2 : component.across > 1 ? weight * 3 / 2 : weight;
}

}  // namespace texcast::compact
