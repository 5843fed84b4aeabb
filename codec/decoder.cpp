#include "texcast/decoder.h"

#include <cmath>
#include <limits>

#include "base/ensure.h"
#include "ref/convert.h"
#include "ref/decode.h"

namespace texcast {
namespace {

void resize(RgbImage& image, int width, int height) {
  image.width = width;
  image.height = height;
  image.pixels.resize(3 * static_cast<size_t>(width) * static_cast<size_t>(height));
}

}  // namespace

void decode_texture(const TextureView& texture, RgbImage& image, EndpointExpansion expansion) {
  resize(image, texture.desc.width, texture.desc.height);
  ref::decode(texture, expansion, image.pixels);
}

void convert_to_rgb(const FrameView& frame, RgbImage& image) {
  resize(image, frame.format.width, frame.format.height);
  const ref::FrameReader reader(frame);
  uint8_t* pixel = image.pixels.data();
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x, pixel += 3) {
      const auto rgb = reader.rgb(x, y);
      for (size_t c = 0; c < 3; ++c) pixel[c] = static_cast<uint8_t>(rgb[c]);
    }
}

void PsnrMeter::add(const RgbImage& a, const RgbImage& b) {
  ENSURE(a.width == b.width && a.height == b.height && a.pixels.size() == b.pixels.size());
  uint64_t sum = 0;
  for (size_t i = 0; i < a.pixels.size(); ++i) {
    const int difference = a.pixels[i] - b.pixels[i];
    sum += static_cast<uint64_t>(difference * difference);
  }
  squared_error_ += static_cast<double>(sum);
  samples_ += static_cast<double>(a.pixels.size());
}

double PsnrMeter::psnr_db() const {
  if (squared_error_ == 0) return std::numeric_limits<double>::infinity();
  return 10 * std::log10(255.0 * 255.0 * samples_ / squared_error_);
}

}  // namespace texcast
