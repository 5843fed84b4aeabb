#include "texcast/decoder.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "base/misuse.h"
#include "formats/require_texture.h"
#include "ref/convert.h"
#include "ref/decode.h"

namespace texcast {
namespace {

// The least number of rows of pixels that are whole rows of blocks in each plane.
int rows_of_blocks(TextureFormat format) {
  int rows = 1;
  for (size_t p = 0; p < static_cast<size_t>(plane_count(format)); ++p)
    rows = std::lcm(rows, format_row(format).planes[p].down * plane_coding(format, p).block_height);
  return rows;
}

// Chroma of half height is interpolated, so rows need those of the neighbouring blocks.
int rows_beside(TextureFormat format) {
  const bool interpolates = is_planar_ycocg(format) && format_row(format).planes[1].down > 1;
  return interpolates ? rows_of_blocks(format) : 0;
}

// The rows `first` to `end` as a texture of their own. Both are multiples of rows_of_blocks(), or the texture's height.
// The result refers to `texture`, or to `memory` if there are several planes.
TextureView cut_rows(const TextureView& texture, int first, int end, std::vector<std::byte>& memory) {
  const TextureLayout whole = texture_layout(texture.desc);
  TextureView part{.desc = texture.desc};
  part.desc.height = end - first;
  const TextureLayout cut = texture_layout(part.desc);
  const auto plane_part = [&](size_t p) {
    const PlaneLayout& from = whole.planes[p];
    const int down = format_row(texture.desc.format).planes[p].down;
    const auto block_row = static_cast<size_t>(first / (down * from.block_height));
    const size_t row_bytes = static_cast<size_t>(from.blocks_x) * static_cast<size_t>(from.block_bytes);
    return texture.blocks.subspan(from.offset + block_row * row_bytes, cut.planes[p].bytes);
  };
  if (cut.plane_count == 1) {
    part.blocks = plane_part(0);
    return part;
  }
  memory.resize(cut.total_bytes);
  for (size_t p = 0; p < static_cast<size_t>(cut.plane_count); ++p)
    std::ranges::copy(plane_part(p), memory.begin() + static_cast<std::ptrdiff_t>(cut.planes[p].offset));
  part.blocks = memory;
  return part;
}

}  // namespace

void decode_texture(const TextureView& texture, DecodedImage& image, EndpointExpansion expansion) {
  ref::decode(texture, expansion, image);
}

void RowDecoder::decode(const TextureView& texture, int first, int end) {
  require_whole(texture, __func__);
  const int height = texture.desc.height;
  REQUIRE_USE(0 <= first && first < end && end <= height, "there are no such rows");
  const int unit = rows_of_blocks(texture.desc.format), beside = rows_beside(texture.desc.format);
  first_row_ = std::max(first / unit * unit - beside, 0);
  const int last = std::min((end + unit - 1) / unit * unit + beside, height);
  ref::decode(cut_rows(texture, first_row_, last, blocks_), EndpointExpansion::replicate, image_);
}

void convert_to_rgb(const FrameView& frame, DecodedImage& image) { convert_to_channels(frame, 3, image); }

void convert_to_channels(const FrameView& frame, int channels, DecodedImage& image, SampleType samples) {
  const ref::ChannelReader reader(frame, channels, samples);
  image.resize(frame.format.width, frame.format.height, channels, samples);
  const size_t row_bytes =
      static_cast<size_t>(image.width) * static_cast<size_t>(channels) * static_cast<size_t>(sample_bytes(samples));
  for (int y = 0; y < image.height; ++y) reader.read(y, &image.pixels[static_cast<size_t>(y) * row_bytes]);
}

}  // namespace texcast
