#include "psnr_hvs_m.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "base/ensure.h"

namespace texcast::bench {
namespace {

constexpr size_t kSide = 8;
constexpr size_t kCount = kSide * kSide;
using Block = std::array<double, kCount>;  // row after row; coefficients: the lowest frequencies first

// The luma quantiser steps of JPEG (ITU-T T.81, table K.1), which both of the metric's tables are derived from.
constexpr Block kSteps = {
    16, 11, 10, 16, 24,  40,  51,  61,   //
    12, 12, 14, 19, 26,  58,  60,  55,   //
    14, 13, 16, 24, 40,  57,  69,  56,   //
    14, 17, 22, 29, 51,  87,  80,  62,   //
    18, 22, 37, 56, 68,  109, 103, 77,   //
    24, 35, 55, 64, 81,  104, 113, 92,   //
    49, 64, 78, 87, 103, 121, 120, 101,  //
    72, 92, 95, 98, 112, 100, 103, 99,
};

struct Tables {
  Block weight;   // of an error by the contrast sensitivity function; the mean of their squares is 1
  Block masking;  // of a squared coefficient in the masking effect
  Block cosines;  // [frequency][sample]: the orthonormal DCT of 8 samples
};

Tables make_tables() {
  Tables tables;
  double squares = 0;
  for (const double step : kSteps) squares += 1 / (step * step);
  const double scale = std::sqrt(kCount / squares);  // 25.735
  for (size_t i = 0; i < kCount; ++i) {
    tables.weight[i] = scale / kSteps[i];
    tables.masking[i] = (10 / kSteps[i]) * (10 / kSteps[i]);
    const double angle = std::numbers::pi * static_cast<double>((2 * (i % kSide) + 1) * (i / kSide)) / (2 * kSide);
    tables.cosines[i] = std::sqrt((i < kSide ? 1.0 : 2.0) / kSide) * std::cos(angle);
  }
  return tables;
}

const Tables& tables() {
  static const Tables made = make_tables();
  return made;
}

// Transforms the rows, and returns them as columns.
Block transformed_rows(const Block& from) {
  const Block& cosines = tables().cosines;
  Block to{};
  for (size_t row = 0; row < kSide; ++row)
    for (size_t f = 0; f < kSide; ++f)
      for (size_t x = 0; x < kSide; ++x) to[f * kSide + row] += cosines[f * kSide + x] * from[row * kSide + x];
  return to;
}
Block dct(const Block& samples) { return transformed_rows(transformed_rows(samples)); }

// The sample variance of a square part of a block, times its number of samples.
double variation(const Block& samples, size_t left, size_t top, size_t side) {
  double sum = 0, squares = 0;
  for (size_t y = top; y < top + side; ++y)
    for (size_t x = left; x < left + side; ++x) {
      sum += samples[y * kSide + x];
      squares += samples[y * kSide + x] * samples[y * kSide + x];
    }
  const auto n = static_cast<double>(side * side);
  return std::max(0.0, squares - sum * sum / n) * n / (n - 1);
}

// How much the block hides: the energy of its AC coefficients, reduced where a quarter differs from the others, as an
// edge or a corner hides less than a texture.
double masking_effect(const Block& samples, const Block& coefficients) {
  constexpr size_t kHalf = kSide / 2;
  const double whole = variation(samples, 0, 0, kSide);
  if (whole == 0) return 0;
  double energy = 0, quarters = 0;
  for (size_t i = 1; i < kCount; ++i) energy += coefficients[i] * coefficients[i] * tables().masking[i];
  for (const size_t top : {size_t{0}, kHalf})
    for (const size_t left : {size_t{0}, kHalf}) quarters += variation(samples, left, top, kHalf);
  constexpr double kNormalisation = 32;  // sqrt(16 * 64)
  return std::sqrt(energy * quarters / whole) / kNormalisation;
}

Block block_at(std::span<const uint8_t> plane, size_t width, size_t left, size_t top) {
  Block block;
  for (size_t i = 0; i < kCount; ++i) block[i] = plane[(top + i / kSide) * width + left + i % kSide];
  return block;
}

struct Errors {
  double masked = 0, weighted = 0;  // sums of squares
};
Errors errors_of(const Block& source, const Block& coded) {
  const Block wanted = dct(source), got = dct(coded);
  const double effect = std::max(masking_effect(source, wanted), masking_effect(coded, got));
  Errors errors;
  for (size_t i = 0; i < kCount; ++i) {
    const double error = std::abs(wanted[i] - got[i]);
    const double hidden = i == 0 ? 0 : effect / tables().masking[i];
    const double weighted = error * tables().weight[i];
    const double masked = std::max(0.0, error - hidden) * tables().weight[i];
    errors.weighted += weighted * weighted;
    errors.masked += masked * masked;
  }
  return errors;
}

}  // namespace

void PsnrHvsM::add(std::span<const uint8_t> source, std::span<const uint8_t> coded, size_t width, size_t height) {
  ENSURE(source.size() == width * height && coded.size() == source.size());
  for (size_t top = 0; top + kSide <= height; top += kSide)
    for (size_t left = 0; left + kSide <= width; left += kSide) {
      const Errors errors = errors_of(block_at(source, width, left, top), block_at(coded, width, left, top));
      masked_ += errors.masked;
      weighted_ += errors.weighted;
      samples_ += kCount;
    }
}

double PsnrHvsM::decibels(double sum) const {
  return sum > 0 ? 10 * std::log10(255.0 * 255.0 * static_cast<double>(samples_) / sum)
                 : std::numeric_limits<double>::infinity();
}

}  // namespace texcast::bench
