#include "frames/tone_map.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/misuse.h"

namespace texcast {

std::array<double, 3> shown_color(std::array<double, 3> rgb, const ColorSpec& color, double exposure) {
  if (color.transfer != kLinearTransfer) {
    for (double& value : rgb) value = std::clamp(value, 0.0, 1.0);
    return rgb;
  }
  std::array<double, 3> light = rgb;
  if (color.primaries == kBt2020Primaries)
    for (size_t i = 0; i < 3; ++i)
      light[i] = kBt2020ToBt709[i][0] * rgb[0] + kBt2020ToBt709[i][1] * rgb[1] + kBt2020ToBt709[i][2] * rgb[2];
  for (double& value : light) value = std::max(value * std::exp2(exposure), 0.0);
  const double most = *std::ranges::max_element(light);
  double gain = 1;
  if (most > kShoulder) gain = (kShoulder + (1 - kShoulder) * (most - kShoulder) / (most - 2 * kShoulder + 1)) / most;
  for (double& value : light) {
    value *= gain;
    value = value <= 0.0031308 ? 12.92 * value : 1.055 * std::pow(value, 1 / 2.4) - 0.055;
  }
  return light;
}

void to_shown_bytes(const DecodedImage& halves, const ColorSpec& color, double exposure, DecodedImage& bytes) {
  REQUIRE_USE(halves.samples == SampleType::half && halves.channels == 3,
              "the picture must have three channels of half floats");
  bytes.resize(halves.width, halves.height, 3);
  for (size_t i = 0; i < bytes.pixels.size(); i += 3) {
    std::array<uint16_t, 3> bits{};
    std::memcpy(bits.data(), &halves.pixels[2 * i], sizeof bits);
    const auto shown =
        shown_color({half_to_double(bits[0]), half_to_double(bits[1]), half_to_double(bits[2])}, color, exposure);
    for (size_t c = 0; c < 3; ++c) bytes.pixels[i + c] = static_cast<uint8_t>(std::lround(255 * shown[c]));
  }
}

}  // namespace texcast
