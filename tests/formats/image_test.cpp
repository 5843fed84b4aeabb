// PSNR of pictures of every sample type, compared with the definition.
#include "texcast/image.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>

using namespace texcast;

namespace {

// For 16-bit samples, writes one in the machine's byte order.
void set(DecodedImage& image, size_t index, int value) {
  if (image.samples == SampleType::unorm8) {
    image.pixels[index] = static_cast<uint8_t>(value);
    return;
  }
  const auto wide = static_cast<uint16_t>(value);
  std::memcpy(image.pixels.data() + 2 * index, &wide, 2);
}

DecodedImage filled(int channels, SampleType samples, int value) {
  DecodedImage image;
  image.resize(4, 2, channels, samples);
  for (size_t i = 0; i < static_cast<size_t>(8 * channels); ++i) set(image, i, value);
  return image;
}

double psnr(const DecodedImage& a, const DecodedImage& b) {
  PsnrMeter meter;
  meter.add(a, b);
  return meter.psnr_db();
}

}  // namespace

TEST_CASE("half floats: signs, subnormal numbers, infinity, NaN") {
  CHECK(half_to_double(0x3C00) == 1);
  CHECK(half_to_double(0xC000) == -2);
  CHECK(half_to_double(0x7BFF) == 65504);
  CHECK(half_to_double(0x0001) == std::ldexp(1, -24));
  CHECK(half_to_double(0x8400) == -std::ldexp(1, -14));
  CHECK(std::isinf(half_to_double(0x7C00)));
  CHECK(std::isnan(half_to_double(0x7C01)));
}

TEST_CASE("PSNR is relative to a peak of one, for every sample type and number of channels") {
  for (const int channels : {1, 2, 3, 4}) {
    CAPTURE(channels);
    CHECK(psnr(filled(channels, SampleType::unorm8, 100), filled(channels, SampleType::unorm8, 151)) ==
          doctest::Approx(20 * std::log10(255.0 / 51)));
    CHECK(psnr(filled(channels, SampleType::unorm16, 10000), filled(channels, SampleType::unorm16, 23107)) ==
          doctest::Approx(20 * std::log10(65535.0 / 13107)));
    // 0.5 and 0.25
    CHECK(psnr(filled(channels, SampleType::half, 0x3800), filled(channels, SampleType::half, 0x3400)) ==
          doctest::Approx(20 * std::log10(1 / 0.25)));
    CHECK(std::isinf(psnr(filled(channels, SampleType::half, 0x3800), filled(channels, SampleType::half, 0x3800))));
  }
}

TEST_CASE("alpha has a PSNR of its own") {
  DecodedImage a = filled(4, SampleType::unorm16, 5000), b = a;
  set(b, 3, 6000);
  PsnrMeter meter;
  meter.add(a, b);
  CHECK(std::isinf(meter.psnr_db()));
  CHECK(meter.alpha_psnr_db() == doctest::Approx(10 * std::log10(65535.0 * 65535 / (1000.0 * 1000 / 8))));
}
