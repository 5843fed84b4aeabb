#include "pixel_rows.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <vector>

namespace texcast::gstreamer {
namespace {

// Bytes in sRGB's curve of all half floats of linear light.
const std::vector<uint8_t>& bytes_of_halves() {
  static const std::vector<uint8_t> table = [] {
    std::vector<uint8_t> bytes(65536);
    for (size_t bits = 0; bits < bytes.size(); ++bits) {
      const double value = half_to_double(static_cast<uint16_t>(bits));
      const double light = std::isnan(value) ? 0 : std::clamp(value, 0.0, 1.0);
      const double coded = light <= 0.0031308 ? 12.92 * light : 1.055 * std::pow(light, 1 / 2.4) - 0.055;
      bytes[bits] = static_cast<uint8_t>(std::lround(255 * coded));
    }
    return bytes;
  }();
  return table;
}

struct Bytes {
  const uint8_t* at;
  uint8_t operator[](size_t i) const { return at[i]; }
};
struct HighBytes {
  const uint8_t* at;
  uint8_t operator[](size_t i) const {
    uint16_t sample = 0;
    std::memcpy(&sample, at + 2 * i, sizeof sample);
    return static_cast<uint8_t>(sample >> 8);
  }
};
struct Halves {
  const uint8_t* at;
  const uint8_t* table = bytes_of_halves().data();
  uint8_t operator[](size_t i) const {
    uint16_t sample = 0;
    std::memcpy(&sample, at + 2 * i, sizeof sample);
    return table[sample];
  }
};

template <size_t kChannels, typename Samples>
void write_pixels(const Samples& samples, size_t width, const PixelLayout& layout, uint8_t* out) {
  const auto step = static_cast<size_t>(layout.bytes);
  for (size_t x = 0; x < width; ++x, out += step) {
    const size_t at = kChannels * x;
    const uint8_t first = samples[at];
    if (layout.alpha >= 0) out[layout.alpha] = kChannels == 4 ? samples[at + 3] : uint8_t{255};
    out[layout.red] = first;
    out[layout.green] = kChannels == 1 ? first : samples[at + 1];
    out[layout.blue] = kChannels == 1 ? first : kChannels == 2 ? uint8_t{0} : samples[at + 2];
  }
}

template <typename Samples>
void write_channels(const Samples& samples, const DecodedImage& image, const PixelLayout& layout, uint8_t* out) {
  const auto width = static_cast<size_t>(image.width);
  switch (image.channels) {
    case 1: return write_pixels<1>(samples, width, layout, out);
    case 2: return write_pixels<2>(samples, width, layout, out);
    case 3: return write_pixels<3>(samples, width, layout, out);
    default: return write_pixels<4>(samples, width, layout, out);
  }
}

}  // namespace

std::optional<PixelLayout> pixel_layout(const GstVideoInfo& info) {
  const GstVideoFormatInfo* format = info.finfo;
  if (GST_VIDEO_INFO_N_PLANES(&info) != 1 || GST_VIDEO_FORMAT_INFO_BITS(format) != 8) return std::nullopt;
  PixelLayout layout{.bytes = GST_VIDEO_FORMAT_INFO_PSTRIDE(format, 0)};
  if (GST_VIDEO_INFO_FORMAT(&info) == GST_VIDEO_FORMAT_GRAY8) {
    layout.is_gray = true;
    return layout;
  }
  if (!GST_VIDEO_FORMAT_INFO_IS_RGB(format)) return std::nullopt;
  layout.red = GST_VIDEO_FORMAT_INFO_POFFSET(format, 0);
  layout.green = GST_VIDEO_FORMAT_INFO_POFFSET(format, 1);
  layout.blue = GST_VIDEO_FORMAT_INFO_POFFSET(format, 2);
  if (layout.bytes == 4) layout.alpha = 0 + 1 + 2 + 3 - layout.red - layout.green - layout.blue;
  return layout;
}

void write_row(const DecodedImage& image, int y, const PixelLayout& layout, uint8_t* out) {
  const size_t row_bytes = static_cast<size_t>(image.width) * static_cast<size_t>(image.channels) *
                           static_cast<size_t>(sample_bytes(image.samples));
  const uint8_t* row = image.pixels.data() + static_cast<size_t>(y) * row_bytes;
  switch (image.samples) {
    case SampleType::unorm8: return write_channels(Bytes{row}, image, layout, out);
    case SampleType::unorm16: return write_channels(HighBytes{row}, image, layout, out);
    case SampleType::half: return write_channels(Halves{row}, image, layout, out);
  }
}

}  // namespace texcast::gstreamer
