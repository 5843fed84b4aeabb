// transform_slices.h — random transform slices, written by the functions of an encoder: all modes, vectors that lead
// out of the picture, levels and quantisers up to the largest.
#pragma once

#include <random>
#include <vector>

#include "base/bytes.h"
#include "compact/tile_grid.h"
#include "compact/transform_syntax.h"

namespace transform_slices {

enum class Levels : uint8_t { few, many, extreme };

struct Wishes {
  bool intra = false;
  int quantiser = 20;
  Levels levels = Levels::few;
  int furthest = 8;  // vectors are coded as differences of up to so many quarter pixels
};

// A macroblock as it was coded.
struct Coded {
  texcast::compact::Macroblock macroblock;
  texcast::compact::MacroblockLevels levels;
};

// The bytes of a slice. `coded`: its macroblocks; may be nullptr.
std::vector<std::byte> random_slice(const texcast::compact::TileGrid& grid, const texcast::compact::Slice& slice,
                                    const Wishes& wishes, std::mt19937& random, std::vector<Coded>* coded = nullptr);

// Random wishes.
Wishes random_wishes(bool intra, std::mt19937& random);

}  // namespace transform_slices
