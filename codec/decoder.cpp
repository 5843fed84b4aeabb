#include "texcast/decoder.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/ensure.h"
#include "ref/convert.h"
#include "ref/decode.h"

namespace texcast {
namespace {

void resize(RgbImage& image, int width, int height, int channels) {
  image.width = width;
  image.height = height;
  image.channels = channels;
  image.pixels.resize(static_cast<size_t>(channels) * static_cast<size_t>(width) * static_cast<size_t>(height));
}

}  // namespace

void decode_texture(const TextureView& texture, RgbImage& image, EndpointExpansion expansion) {
  resize(image, texture.desc.width, texture.desc.height, channel_count(texture.desc.format));
  ref::decode(texture, expansion, image.pixels);
}

void convert_to_rgb(const FrameView& frame, RgbImage& image) { convert_to_channels(frame, 3, image); }

void convert_to_channels(const FrameView& frame, int channels, RgbImage& image) {
  resize(image, frame.format.width, frame.format.height, channels);
  const ref::FrameReader reader(frame);
  uint8_t* pixel = image.pixels.data();
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x, pixel += channels) {
      if (channels == 1) {
        *pixel = static_cast<uint8_t>(reader.alpha_or_luma(x, y));
        continue;
      }
      const auto rgb = reader.rgb(x, y);
      for (size_t c = 0; c < 3; ++c) pixel[c] = static_cast<uint8_t>(rgb[c]);
      if (channels == 4) pixel[3] = static_cast<uint8_t>(reader.alpha(x, y));
    }
}

void PsnrMeter::add(const RgbImage& a, const RgbImage& b) {
  ENSURE(a.width == b.width && a.height == b.height && a.channels == b.channels && a.pixels.size() == b.pixels.size());
  std::array<uint64_t, 4> sums{};
  const auto channels = static_cast<size_t>(a.channels);
  for (size_t i = 0; i < a.pixels.size(); i += channels)
    for (size_t c = 0; c < channels; ++c) {
      const int difference = a.pixels[i + c] - b.pixels[i + c];
      sums[c] += static_cast<uint64_t>(difference * difference);
    }
  const double texels = static_cast<double>(a.width) * a.height;
  color_.squared_error += static_cast<double>(sums[0] + sums[1] + sums[2]);
  color_.samples += texels * std::min(a.channels, 3);
  alpha_.squared_error += static_cast<double>(sums[3]);
  alpha_.samples += texels;
}

double PsnrMeter::Sum::psnr_db() const {
  if (squared_error == 0) return std::numeric_limits<double>::infinity();
  return 10 * std::log10(255.0 * 255.0 * samples / squared_error);
}

double PsnrMeter::psnr_db() const { return color_.psnr_db(); }
double PsnrMeter::alpha_psnr_db() const { return alpha_.psnr_db(); }

}  // namespace texcast
