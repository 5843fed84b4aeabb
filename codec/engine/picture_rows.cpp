#include "picture_rows.h"

#include <algorithm>

#include "base/ensure.h"
#include "frames/from_rgb.h"

namespace texcast {
namespace {

struct Rgb {
  int red = 0, green = 0, blue = 0;
  Rgb operator+(const Rgb& other) const { return {red + other.red, green + other.green, blue + other.blue}; }
};

// `sum`: over the 2^log2_texels texels that share the value.
inline uint8_t value_of(const YuvChannel& c, const Rgb& sum, int log2_texels) {
  const int shift = 16 + log2_texels;
  const int value =
      c.red * sum.red + c.green * sum.green + c.blue * sum.blue + (c.offset << shift) + (1 << (shift - 1));
  return static_cast<uint8_t>(std::min(value >> shift, 255));
}

template <int kChannels>
struct Row {
  const uint8_t* texels;
  Rgb operator[](int x) const {
    const uint8_t* texel = texels + kChannels * x;
    if constexpr (kChannels == 1) return {texel[0], texel[0], texel[0]};
    if constexpr (kChannels == 2) return {texel[0], texel[1], 0};
    return {texel[0], texel[1], texel[2]};
  }
};

uint8_t* row_of(const MutablePlane& plane, int row) {
  return reinterpret_cast<uint8_t*>(plane.data) + row * plane.stride_bytes;
}

template <int kChannels>
class RowWriter {
 public:
  RowWriter(const FrameFormat& to, const MutablePlanes& picture)
      : to_(to), yuv_(yuv_conversion(to.color)), picture_(picture) {}

  // Row `y` of the picture and the next one, which is the same if there is none.
  void write(int y, Row<kChannels> upper, Row<kChannels> lower) const {
    const bool has_lower = y + 1 < to_.height;
    switch (to_.pixel_format) {
      case PixelFormat::bgra:
        write_bgra(upper, row_of(picture_[0], y));
        if (has_lower) write_bgra(lower, row_of(picture_[0], y + 1));
        return;
      case PixelFormat::yuyv422:
        write_pairs(upper, row_of(picture_[0], y));
        if (has_lower) write_pairs(lower, row_of(picture_[0], y + 1));
        return;
      default:
        write_luma(upper, row_of(picture_[0], y));
        if (has_lower) write_luma(lower, row_of(picture_[0], y + 1));
        write_chroma(y / 2, upper, lower);
    }
  }

 private:
  void write_bgra(Row<kChannels> row, uint8_t* out) const {
    for (int x = 0; x < to_.width; ++x, out += 4) {
      const Rgb texel = row[x];
      out[0] = static_cast<uint8_t>(texel.blue);
      out[1] = static_cast<uint8_t>(texel.green);
      out[2] = static_cast<uint8_t>(texel.red);
      out[3] = 255;
    }
  }
  void write_luma(Row<kChannels> row, uint8_t* out) const {
    const YuvChannel luma = yuv_.luma;
    for (int x = 0; x < to_.width; ++x) out[x] = value_of(luma, row[x], 0);
  }
  // The last pair of an odd width has its only luma twice.
  void write_pairs(Row<kChannels> row, uint8_t* out) const {
    const YuvConversion yuv = yuv_;
    for (int x = 0; x < to_.width; x += 2, out += 4) {
      const Rgb left = row[x], right = row[std::min(x + 1, to_.width - 1)], sum = left + right;
      out[0] = value_of(yuv.luma, left, 0);
      out[1] = value_of(yuv.cb, sum, 1);
      out[2] = value_of(yuv.luma, right, 0);
      out[3] = value_of(yuv.cr, sum, 1);
    }
  }
  void write_chroma(int y, Row<kChannels> upper, Row<kChannels> lower) const {
    const bool is_interleaved = to_.pixel_format == PixelFormat::nv12;
    uint8_t* cb = row_of(picture_[1], y);
    uint8_t* cr = is_interleaved ? cb + 1 : row_of(picture_[2], y);
    const int step = is_interleaved ? 2 : 1;
    const YuvChannel cb_of = yuv_.cb, cr_of = yuv_.cr;
    const int pairs = to_.width / 2;
    for (int x = 0; x < pairs; ++x) {
      const Rgb sum = upper[2 * x] + upper[2 * x + 1] + lower[2 * x] + lower[2 * x + 1];
      cb[x * step] = value_of(cb_of, sum, 2);
      cr[x * step] = value_of(cr_of, sum, 2);
    }
    if (to_.width % 2 == 0) return;
    const Rgb sum = upper[2 * pairs] + lower[2 * pairs];
    cb[pairs * step] = value_of(cb_of, sum, 1);
    cr[pairs * step] = value_of(cr_of, sum, 1);
  }

  const FrameFormat to_;
  const YuvConversion yuv_;
  const MutablePlanes picture_;
};

template <int kChannels>
void write_rows(const DecodedImage& image, int image_row, const FrameFormat& to, int first, int end,
                const MutablePlanes& picture) {
  const RowWriter<kChannels> writer(to, picture);
  const auto row = [&](int y) {
    const auto row_bytes = static_cast<size_t>(image.width) * kChannels;
    return Row<kChannels>{image.pixels.data() + static_cast<size_t>(y - image_row) * row_bytes};
  };
  for (int y = first; y < end; y += 2) writer.write(y, row(y), row(std::min(y + 1, to.height - 1)));
}

}  // namespace

void write_picture_rows(const DecodedImage& image, int image_row, const FrameFormat& to, int first, int end,
                        const MutablePlanes& picture) {
  ENSURE(image.samples == SampleType::unorm8 && to.width <= image.width);
  ENSURE(first % 2 == 0 && (end % 2 == 0 || end == to.height) && first >= image_row && end <= image_row + image.height);
  switch (image.channels) {
    case 1: return write_rows<1>(image, image_row, to, first, end, picture);
    case 2: return write_rows<2>(image, image_row, to, first, end, picture);
    case 3: return write_rows<3>(image, image_row, to, first, end, picture);
    default: return write_rows<4>(image, image_row, to, first, end, picture);
  }
}

}  // namespace texcast
