#include "texcast/image.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "base/misuse.h"

namespace texcast {
namespace {

using ChannelSums = std::array<double, 4>;

// Squared differences of bytes, exact.
ChannelSums byte_errors(const DecodedImage& a, const DecodedImage& b) {
  std::array<uint64_t, 4> sums{};
  const auto channels = static_cast<size_t>(a.channels);
  for (size_t i = 0; i < a.pixels.size(); i += channels)
    for (size_t c = 0; c < channels; ++c) {
      const int difference = a.pixels[i + c] - b.pixels[i + c];
      sums[c] += static_cast<uint64_t>(difference * difference);
    }
  return {static_cast<double>(sums[0]), static_cast<double>(sums[1]), static_cast<double>(sums[2]),
          static_cast<double>(sums[3])};
}

// A 16-bit sample in units of a byte's step.
double in_bytes(const uint8_t* sample, SampleType type) {
  uint16_t bits = 0;
  std::memcpy(&bits, sample, sizeof bits);
  return 255 * (type == SampleType::half ? half_to_double(bits) : bits / 65535.0);
}
ChannelSums wide_errors(const DecodedImage& a, const DecodedImage& b) {
  ChannelSums sums{};
  const auto channels = static_cast<size_t>(a.channels);
  for (size_t i = 0; i < a.pixels.size(); i += 2 * channels)
    for (size_t c = 0; c < channels; ++c) {
      const double difference = in_bytes(&a.pixels[i + 2 * c], a.samples) - in_bytes(&b.pixels[i + 2 * c], b.samples);
      sums[c] += difference * difference;
    }
  return sums;
}

bool is_whole(const DecodedImage& image) {
  return image.width >= 0 && image.height >= 0 && image.channels >= 1 && image.channels <= 4 &&
         image.pixels.size() == static_cast<size_t>(image.channels) * static_cast<size_t>(sample_bytes(image.samples)) *
                                    static_cast<size_t>(image.width) * static_cast<size_t>(image.height);
}

}  // namespace

double half_to_double(uint16_t bits) {
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  if (exponent < 31) return sign * std::ldexp(1024 + fraction, exponent - 25);
  return fraction == 0 ? sign * std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
}

uint16_t half_from_double(double value) {
  const int sign = std::signbit(value) ? 0x8000 : 0;
  if (std::isnan(value)) return 0x7E00;
  const double size = std::fabs(value);
  if (size >= 65520) return static_cast<uint16_t>(sign | 0x7C00);
  // Steps of 2^-24 below 2^-14; above, 1024 between a power of two and the next.
  const int exponent = size < std::ldexp(1.0, -14) ? -14 : std::ilogb(size);
  const int steps =
      static_cast<int>(std::nearbyint(std::ldexp(size, 10 - exponent)));  // 2048 carries into the exponent
  return static_cast<uint16_t>(sign | (((exponent + 14) << 10) + steps));
}

void DecodedImage::resize(int new_width, int new_height, int new_channels, SampleType new_samples) {
  REQUIRE_USE(new_width >= 0 && new_height >= 0 && new_width <= kMaxFrameSize && new_height <= kMaxFrameSize,
              "a picture has sides of 0 to 16384 pixels");
  REQUIRE_USE(new_channels >= 1 && new_channels <= 4, "a picture has 1 to 4 channels");
  REQUIRE_USE(new_samples <= SampleType::half, "there is no such type of samples");
  width = new_width;
  height = new_height;
  channels = new_channels;
  samples = new_samples;
  pixels.resize(static_cast<size_t>(channels) * static_cast<size_t>(sample_bytes(samples)) *
                static_cast<size_t>(width) * static_cast<size_t>(height));
}

void PsnrMeter::add(const DecodedImage& a, const DecodedImage& b) {
  REQUIRE_USE(a.width == b.width && a.height == b.height && a.channels == b.channels && a.samples == b.samples,
              "the pictures differ in size, channels or type of samples");
  REQUIRE_USE(is_whole(a) && is_whole(b), "the bytes of a picture do not match its size");
  const ChannelSums sums = a.samples == SampleType::unorm8 ? byte_errors(a, b) : wide_errors(a, b);
  const double texels = static_cast<double>(a.width) * a.height;
  color_.squared_error += sums[0] + sums[1] + sums[2];
  color_.samples += texels * std::min(a.channels, 3);
  alpha_.squared_error += sums[3];
  alpha_.samples += texels;
}

double PsnrMeter::Sum::psnr_db() const {
  if (squared_error == 0) return std::numeric_limits<double>::infinity();
  return 10 * std::log10(255.0 * 255.0 * samples / squared_error);
}

double PsnrMeter::psnr_db() const { return color_.psnr_db(); }
double PsnrMeter::alpha_psnr_db() const { return alpha_.psnr_db(); }

void orient(DecodedImage& image, Orientation orientation) {
  if (orientation == Orientation::upright) return;
  const Turn turn = turn_of(orientation);
  REQUIRE_USE(is_whole(image), "the bytes of the picture do not match its size");
  const int width = image.width, height = image.height;
  DecodedImage turned;
  if (swaps_sides(orientation))
    turned.resize(height, width, image.channels, image.samples);
  else
    turned.resize(width, height, image.channels, image.samples);
  const auto pixel = static_cast<size_t>(image.channels * sample_bytes(image.samples));
  // Twice the distance from the centre, so that it is an integer.
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const int dx = 2 * x - (width - 1), dy = 2 * y - (height - 1);
      const int to_x = (turn.xx * dx + turn.xy * dy + turned.width - 1) / 2;
      const int to_y = (turn.yx * dx + turn.yy * dy + turned.height - 1) / 2;
      const size_t from = (static_cast<size_t>(y) * static_cast<size_t>(width) + static_cast<size_t>(x)) * pixel;
      const size_t to =
          (static_cast<size_t>(to_y) * static_cast<size_t>(turned.width) + static_cast<size_t>(to_x)) * pixel;
      std::memcpy(&turned.pixels[to], &image.pixels[from], pixel);
    }
  }
  image = std::move(turned);
}

}  // namespace texcast
