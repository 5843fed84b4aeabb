// textures.h — textures for the tests of compact streams: of the photograph in tests/data, moved, and others.
#pragma once

#include <random>
#include <vector>

#include "base/bytes.h"
#include "compact/payload.h"
#include "cut_formats.h"
#include "texcast/format.h"

namespace textures {

using Texture = std::vector<std::byte>;
using Payloads = std::vector<std::vector<std::byte>>;

// The photograph in `format`'s blocks, its part from (x, y) on; it goes on mirrored beyond its borders.
Texture photograph(const texcast::TextureDesc& texture, int x, int y);
// One of several pictures that have nothing in common, its part from (x, y) on.
Texture scene(const texcast::TextureDesc& texture, int number, int x, int y);
// Coloured letters on a dark ground, from row `y` on.
Texture letters(const texcast::TextureDesc& texture, int y);
// Blocks that no encoder makes: any bytes at all.
Texture noise(const texcast::TextureDesc& texture, uint32_t seed);

// Over red, green and blue of what they decode to.
double psnr_between(const texcast::TextureDesc& texture, const Texture& a, const Texture& b);

Payloads copied(std::span<const texcast::Bytes> payloads);
std::vector<texcast::Bytes> views(const Payloads& payloads);
size_t bytes_of(const Payloads& payloads);

// Tiles in which two textures differ: a byte a tile.
std::vector<uint8_t> differing(const texcast::compact::TileGrid& grid, const Texture& a, const Texture& b);
// Of one tile, from one texture into another.
void copy_tile(const texcast::compact::TileGrid& grid, uint32_t tile, const Texture& from, Texture& to);

}  // namespace textures
