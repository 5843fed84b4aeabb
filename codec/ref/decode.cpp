#include "ref/decode.h"

#include <algorithm>
#include <array>

#include "base/ensure.h"
#include "block_codecs.h"
#include "ref/pixels.h"
#include "ref/ycocg_planes.h"

namespace texcast::ref {
namespace {

constexpr size_t kMaxBlockTexels = 12 * 12;  // ASTC's largest

// The plane's channels of each pixel of the picture, whose size is the plane's.
void decode_plane(const TextureView& texture, const PlaneLayout& plane, const PlaneCodec& codec,
                  EndpointExpansion expansion, DecodedImage& image) {
  ENSURE(plane.width == image.width && plane.height == image.height);
  const auto across = static_cast<size_t>(plane.block_width), down = static_cast<size_t>(plane.block_height);
  const auto width = static_cast<size_t>(plane.width), height = static_cast<size_t>(plane.height);
  const auto channels = static_cast<size_t>(image.channels), block_bytes = static_cast<size_t>(plane.block_bytes);
  const auto first = static_cast<size_t>(codec.first_channel), count = static_cast<size_t>(codec.channels);
  const auto* block = reinterpret_cast<const uint8_t*>(texture.blocks.data()) + plane.offset;
  std::array<Texel, kMaxBlockTexels> texels;
  for (size_t top = 0; top < height; top += down)
    for (size_t left = 0; left < width; left += across, block += block_bytes) {
      codec.decode({block, block_bytes}, expansion, std::span(texels).first(across * down));
      for (size_t y = top; y < std::min(top + down, height); ++y)
        for (size_t x = left; x < std::min(left + across, width); ++x) {
          const Texel& texel = texels[(y - top) * across + (x - left)];
          for (size_t c = 0; c < count; ++c) image.set(channels * (y * width + x) + first + c, texel[c]);
        }
    }
}

}  // namespace

void decode(const TextureView& texture, EndpointExpansion expansion, DecodedImage& image) {
  const TextureLayout layout = texture_layout(texture.desc);
  ENSURE(texture.blocks.size() == layout.total_bytes);
  const Format& format = format_row(texture.desc.format);
  const Coding& first = coding(format.planes[0].coding);
  image.resize(texture.desc.width, texture.desc.height, channel_count(format.model), first.sample_type);
  if (format.model == ColorModel::ycocg_planes) return decode_ycocg_planes(texture, image.pixels);
  if (first.is_pair()) return decode_pairs(texture, image.pixels);
  const BlockCodecs& codecs = block_codecs(texture.desc.format);
  for (size_t p = 0; p < static_cast<size_t>(layout.plane_count); ++p)
    decode_plane(texture, layout.planes[p], codecs.planes[p], expansion, image);
  if (format.model == ColorModel::ycbcr) ycbcr_to_rgb(texture.desc.color, image.pixels);
}

}  // namespace texcast::ref
