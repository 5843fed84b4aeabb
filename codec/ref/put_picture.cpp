#include "ref/put_picture.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/misuse.h"
#include "frames/from_rgb.h"
#include "frames/tone_map.h"

namespace texcast::ref {
namespace {

using Rgb = std::array<int, 3>;

int convert(const YuvChannel& c, const Rgb& sum, int log2_texels) {
  const int shift = 16 + log2_texels;
  const int value = c.red * sum[0] + c.green * sum[1] + c.blue * sum[2] + (c.offset << shift) + (1 << (shift - 1));
  return std::min(value >> shift, 255);
}

class PictureWriter {
 public:
  PictureWriter(const DecodedImage& rgb, const FrameFormat& to, std::span<std::byte> out)
      : rgb_(rgb), to_(to), placed_(place_tightly(to)), conversion_(yuv_conversion(to.color)), out_(out) {}

  void write() {
    for (int y = 0; y < to_.height; ++y)
      for (int x = 0; x < to_.width; ++x) put_texel(x, y);
    if (to_.pixel_format == PixelFormat::bgra) return;
    const int down = to_.pixel_format == PixelFormat::yuyv422 ? 1 : 2;
    for (int y = 0; y < to_.height; y += down)
      for (int x = 0; x < to_.width; x += 2) put_chroma(x, y, down);
  }

 private:
  Rgb at(int x, int y) const {
    const int column = std::min(x, to_.width - 1), row = std::min(y, to_.height - 1);
    const auto place = 3 * (static_cast<size_t>(row) * static_cast<size_t>(rgb_.width) + static_cast<size_t>(column));
    return {rgb_.pixels[place], rgb_.pixels[place + 1], rgb_.pixels[place + 2]};
  }
  void put(size_t plane, int column, int row, int value) {
    const auto stride = static_cast<size_t>(placed_.stride[plane]);
    out_[static_cast<size_t>(placed_.offset[plane]) + static_cast<size_t>(row) * stride + static_cast<size_t>(column)] =
        static_cast<std::byte>(value);
  }
  void put_texel(int x, int y) {
    const Rgb texel = at(x, y);
    if (to_.pixel_format == PixelFormat::bgra) {
      for (int c = 0; c < 4; ++c) put(0, 4 * x + c, y, c == 3 ? 255 : texel[static_cast<size_t>(2 - c)]);
      return;
    }
    put(0, to_.pixel_format == PixelFormat::yuyv422 ? 2 * x : x, y, convert(conversion_.luma, texel, 0));
  }
  void put_chroma(int x, int y, int down) {
    Rgb sum{};
    for (int i = 0; i < 2 * down; ++i)
      for (size_t c = 0; c < 3; ++c) sum[c] += at(x + i % 2, y + i / 2)[c];
    const int cb = convert(conversion_.cb, sum, down), cr = convert(conversion_.cr, sum, down);
    switch (to_.pixel_format) {
      case PixelFormat::nv12:
        put(1, x, y / 2, cb);
        put(1, x + 1, y / 2, cr);
        break;
      case PixelFormat::yuv420p:
        put(1, x / 2, y / 2, cb);
        put(2, x / 2, y / 2, cr);
        break;
      default:  // yuyv422, whose last pair has a second luma for odd widths too
        put(0, 2 * x + 1, y, cb);
        put(0, 2 * x + 3, y, cr);
        if (x + 1 == to_.width) put(0, 2 * x + 2, y, convert(conversion_.luma, at(x, y), 0));
    }
  }

  const DecodedImage& rgb_;
  const FrameFormat to_;
  const FramePlacement placed_;
  const YuvConversion conversion_;
  const std::span<std::byte> out_;
};

// Sample number `index`, rounded to a byte.
uint8_t byte_of(const DecodedImage& image, size_t index) {
  if (image.samples == SampleType::unorm8) return image.pixels[index];
  uint16_t wide = 0;
  std::memcpy(&wide, &image.pixels[2 * index], sizeof wide);
  return static_cast<uint8_t>((wide + 128) / 257);
}

}  // namespace

void to_rgb_bytes(const DecodedImage& image, const ColorSpec& color, DecodedImage& rgb) {
  if (image.samples == SampleType::half) return to_shown_bytes(image, color, 0, rgb);
  rgb.resize(image.width, image.height, 3);
  const auto channels = static_cast<size_t>(image.channels);
  const size_t pixels = rgb.pixels.size() / 3;
  for (size_t i = 0; i < pixels; ++i)
    for (size_t c = 0; c < 3; ++c)
      rgb.pixels[3 * i + c] = channels == 1  ? byte_of(image, i)
                              : c < channels ? byte_of(image, channels * i + c)
                                             : uint8_t{};
}

void put_picture(const DecodedImage& rgb, const FrameFormat& to, std::span<std::byte> out) {
  REQUIRE_USE(rgb.channels == 3 && rgb.samples == SampleType::unorm8, "the picture must be R G B of 8 bits");
  REQUIRE_USE(is_camera_format(to.pixel_format), "this pixel format is only read");
  REQUIRE_USE(to.width <= rgb.width && to.height <= rgb.height, "the frame is larger than the picture");
  REQUIRE_USE(out.size() == place_tightly(to).bytes, "the memory does not have the frame's size");
  PictureWriter(rgb, to, out).write();
}

}  // namespace texcast::ref
