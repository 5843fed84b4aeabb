// textures.h — textures for tests of coded streams: parts of the photograph in tests/data, and others.
#pragma once

#include <random>
#include <vector>

#include "base/bytes.h"
#include "compact/payload.h"
#include "cut_formats.h"
#include "texcast/format.h"
#include "texcast/frame.h"
#include "texcast/image.h"

namespace textures {

using Texture = std::vector<std::byte>;
using Payloads = std::vector<std::vector<std::byte>>;

// The part of the photograph from (x, y) on. The photograph is mirrored beyond its edges.
Texture photograph(const texcast::TextureDesc& texture, int x, int y);
// The same of the photograph enlarged four times, bilinearly: as soft as films are.
Texture soft_photograph(const texcast::TextureDesc& texture, int x, int y);
// The part from (x, y) on of one of several pictures that have nothing in common.
Texture scene(const texcast::TextureDesc& texture, int number, int x, int y);
// Coloured letters on a dark background, from row `y` on.
Texture letters(const texcast::TextureDesc& texture, int y);
// Random bytes, as no block encoder writes them.
Texture noise(const texcast::TextureDesc& texture, uint32_t seed);
// The same partitions of 16 x 16 pixels in another order; those that lie partly outside stay.
Texture shuffled(const texcast::compact::TileGrid& grid, const Texture& texture, uint32_t seed);

// A picture of red, green and blue as a frame. Borrowed.
texcast::FrameView view_of(const texcast::DecodedImage& image);
// Over the decoded red, green and blue.
double psnr_between(const texcast::TextureDesc& texture, const Texture& a, const Texture& b);

Payloads copied(std::span<const texcast::Bytes> payloads);
std::vector<texcast::Bytes> views(const Payloads& payloads);
size_t bytes_of(const Payloads& payloads);

// A byte for each tile, which is 1 if two textures differ there.
std::vector<uint8_t> differing(const texcast::compact::TileGrid& grid, const Texture& a, const Texture& b);
// Copies a tile from one texture to another.
void copy_tile(const texcast::compact::TileGrid& grid, uint32_t tile, const Texture& from, Texture& to);

}  // namespace textures
