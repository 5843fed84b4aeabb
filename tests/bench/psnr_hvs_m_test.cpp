// PSNR-HVS-M of blocks whose DCT is known without computing it.
#include "psnr_hvs_m.h"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

using texcast::bench::PsnrHvsM;

namespace {

constexpr size_t kSide = 8;
using Plane = std::vector<uint8_t>;

Plane flat(int level, size_t samples = kSide * kSide) { return Plane(samples, static_cast<uint8_t>(level)); }

// Adds the basis function of vertical or horizontal frequency 4, whose samples are ±amplitude: + - - + + - - +. Its
// coefficient is 8 * amplitude, and all others are 0.
Plane with_stripes(Plane block, int amplitude, bool vertical) {
  constexpr int kSigns[] = {1, -1, -1, 1, 1, -1, -1, 1};
  for (size_t i = 0; i < block.size(); ++i)
    block[i] = static_cast<uint8_t>(block[i] + amplitude * kSigns[vertical ? i / kSide : i % kSide]);
  return block;
}

PsnrHvsM compared(const Plane& source, const Plane& coded, size_t width = kSide, size_t height = kSide) {
  PsnrHvsM meter;
  meter.add(source, coded, width, height);
  return meter;
}
double decibels(double error) { return 20 * std::log10(255 / error); }  // of the root of the mean square

// The scale of the weights divided by JPEG's steps: published as 1.608443 for the DC coefficient, whose step is 16.
constexpr double kWeight = 1.608443 * 16;
constexpr double kHorizontal4 = 24, kVertical4 = 18;  // JPEG's steps of the two stripes

// The stripes' variation of a quarter of the block (n = 16), times 4, over that of the whole (n = 64).
const double kQuarters = (16.0 / 15) / (64.0 / 63);
// The masking effect of stripes with this coefficient: m = sqrt((coefficient * 10 / step)^2 * quarters) / 32.
double effect(double coefficient, double step) { return coefficient * 10 / step * std::sqrt(kQuarters) / 32; }
double masked_by(double effect, double step) { return effect * (step / 10) * (step / 10); }

}  // namespace

TEST_CASE("PSNR-HVS-M: equal pictures have no error") {
  const PsnrHvsM meter = compared(flat(17), flat(17));
  CHECK(std::isinf(meter.psnr_hvs_m_db()));
  CHECK(std::isinf(meter.psnr_hvs_db()));
}

TEST_CASE("PSNR-HVS-M: an error of the mean is weighted by that of DC, and never masked") {
  const PsnrHvsM meter = compared(flat(100), flat(110));
  CHECK(meter.psnr_hvs_m_db() == doctest::Approx(decibels(10 * 1.608443)).epsilon(1e-6));
  CHECK(meter.psnr_hvs_db() == doctest::Approx(meter.psnr_hvs_m_db()));
  const Plane texture = with_stripes(flat(100), 60, true);
  const PsnrHvsM textured = compared(texture, with_stripes(flat(110), 60, true));
  CHECK(textured.psnr_hvs_m_db() == doctest::Approx(meter.psnr_hvs_m_db()));
}

TEST_CASE("PSNR-HVS-M: an error that is a basis function masks a part of itself") {
  const int amplitude = 2;
  const PsnrHvsM meter = compared(flat(100), with_stripes(flat(100), amplitude, false));
  CHECK(meter.psnr_hvs_db() == doctest::Approx(decibels(amplitude * kWeight / kHorizontal4)).epsilon(1e-6));
  const double masked = masked_by(effect(8 * amplitude, kHorizontal4), kHorizontal4);
  const double error = (8 * amplitude - masked) / 8;
  CHECK(meter.psnr_hvs_m_db() == doctest::Approx(decibels(error * kWeight / kHorizontal4)).epsilon(1e-6));
}

TEST_CASE("PSNR-HVS-M: texture hides a small error, of either picture") {
  const Plane texture = with_stripes(flat(100), 40, false);
  const PsnrHvsM hidden = compared(texture, with_stripes(texture, 1, true));
  CHECK(masked_by(effect(8 * 40, kHorizontal4), kVertical4) > 8);  // the coefficient of the error
  CHECK(std::isinf(hidden.psnr_hvs_m_db()));
  CHECK(hidden.psnr_hvs_db() == doctest::Approx(decibels(kWeight / kVertical4)).epsilon(1e-6));
  CHECK(std::isinf(compared(with_stripes(texture, 1, true), texture).psnr_hvs_m_db()));
  CHECK(std::isfinite(compared(flat(100), with_stripes(flat(100), 1, true)).psnr_hvs_m_db()));
}

TEST_CASE("PSNR-HVS-M: an edge between halves of a block hides less than a texture") {
  Plane edge = flat(60);
  for (size_t i = 0; i < edge.size(); ++i)
    if (i % kSide >= kSide / 2) edge[i] = 140;  // each quarter is flat: nothing is masked
  const PsnrHvsM meter = compared(edge, with_stripes(edge, 1, true));
  // Only what the error adds to the quarters hides a part of it.
  CHECK(meter.psnr_hvs_m_db() > meter.psnr_hvs_db());
  CHECK(meter.psnr_hvs_m_db() < meter.psnr_hvs_db() + 3);
}

TEST_CASE("PSNR-HVS-M: blocks at their places, planes are averaged, and parts of blocks do not count") {
  constexpr size_t kWidth = 19, kHeight = 17;  // 2x2 blocks
  const Plane source = flat(100, kWidth * kHeight);
  Plane coded = source;
  for (size_t y = 0; y < kHeight; ++y)
    for (size_t x = 0; x < kWidth; ++x) {
      const bool second_block = y < kSide && x >= kSide && x < 2 * kSide;
      const bool beyond = y >= 2 * kSide || x >= 2 * kSide;
      if (second_block || beyond) coded[y * kWidth + x] = 110;
    }
  PsnrHvsM meter = compared(source, coded, kWidth, kHeight);
  const double one_block = decibels(10 * 1.608443);
  CHECK(meter.psnr_hvs_m_db() == doctest::Approx(one_block + 10 * std::log10(4)).epsilon(1e-6));
  meter.add(source, source, kWidth, kHeight);
  CHECK(meter.psnr_hvs_m_db() == doctest::Approx(one_block + 10 * std::log10(8)).epsilon(1e-6));
}
