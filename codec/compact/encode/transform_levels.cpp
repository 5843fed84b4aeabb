#include "transform_levels.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <span>

namespace texcast::compact {
namespace {

constexpr int kNearest = 128;  // rounding offset
constexpr int kSign = 32;      // bits, in 1/32

class LevelChoice {
 public:
  LevelChoice(const Quantisation& quantisation, const LevelRate& rate, const Coefficients& coefficients,
              TransformLevels& levels)
      : step_(quantisation.step()),
        weight_(rate.weight / 8),
        rate_(rate),
        coefficients_(coefficients),
        levels_(levels) {}

  // From the highest frequency that may have a level to the lowest, as they are coded. `places`: a bit for each level
  // that is not zero, by its place in the scan; at least one.
  int choose(uint64_t places) {
    int before = kCoefficients;
    for (uint64_t left = places; left != 0; left &= ~(uint64_t{1} << before)) {
      const int i = 63 - __builtin_clzll(left);
      if (begun_ >= 0)
        for (int zero = before - 1; zero > i; --zero) put_zero(rate_.tables.cost[magnitudes_.context(zero)][0]);
      choose_at(i);
      before = i;
    }
    for (int zero = before - 1; zero >= 0; --zero) put_zero(rate_.tables.cost[magnitudes_.context(zero)][0]);
    if (score_ >= 0) return 0;
    for (uint64_t pruned = begun_ + 1 < kCoefficients ? places >> (begun_ + 1) << (begun_ + 1) : 0; pruned != 0;
         pruned &= pruned - 1)
      levels_[kZigzag.at[static_cast<size_t>(__builtin_ctzll(pruned))]] = 0;
    return bits_;
  }

 private:
  struct Option {
    int magnitude = 0, bits = 0;
    int64_t score = std::numeric_limits<int64_t>::max();
  };

  // How much more a level costs than zero, in the unit of 32 D.
  int64_t score_of(int64_t coefficient, int magnitude, int bits) const {
    const int64_t error = coefficient - ((int64_t{magnitude} * step_ + 2) >> 2);
    // The errors are in 1/16.
    return (error * error - coefficient * coefficient) * weight_ + int64_t{rate_.lambda} * bits;
  }
  // The bits of a symbol with its escape and its sign.
  int bits_of(int context, int symbol) const {
    if (symbol < kMagnitudeEscape) return rate_.tables.cost[context][symbol];
    const int more = bit_length(static_cast<uint32_t>(symbol - kMagnitudeEscape + 1)) - 1;
    return rate_.tables.cost[context][kMagnitudeEscape] + rate_.tables.cost[transform_context::kEscape.first][more] +
           32 * more;
  }
  void choose_at(int i) {
    const int position = kZigzag.at[static_cast<size_t>(i)];
    const int nearest = std::abs(static_cast<int>(levels_[static_cast<size_t>(position)]));
    const int64_t coefficient = std::abs(static_cast<int>(coefficients_[static_cast<size_t>(position)]));
    Option as_last, as_next;
    const int of_place = place_bits(i);
    for (int magnitude = std::max(nearest - 1, 1); magnitude <= nearest; ++magnitude) {
      const int bits = of_place + bits_of(last_magnitude_context(position), magnitude - 1) + kSign;
      if (const int64_t score = score_of(coefficient, magnitude, bits); score < as_last.score)
        as_last = {magnitude, bits, score};
    }
    if (begun_ >= 0) {
      const int context = magnitudes_.context(i);
      const auto attempt = [&](int magnitude) {
        const int bits = bits_of(context, magnitude) + (magnitude > 0 ? kSign : 0);
        if (const int64_t score = score_of(coefficient, magnitude, bits); score < as_next.score)
          as_next = {magnitude, bits, score};
      };
      attempt(nearest);
      attempt(nearest - 1);
      if (nearest == 2) attempt(0);
    }
    if (begun_ < 0 || as_last.score <= score_ + as_next.score) {
      begun_ = i;
      score_ = bits_ = 0;
      magnitudes_.clear();
      take(i, as_last);
    } else {
      take(i, as_next);
    }
  }
  void take(int i, const Option& option) {
    score_ += option.score;
    bits_ += option.bits;
    magnitudes_.set(i, option.magnitude);
    int16_t& level = levels_[kZigzag.at[static_cast<size_t>(i)]];
    level = static_cast<int16_t>(level < 0 ? -option.magnitude : option.magnitude);
  }
  void put_zero(int bits) {
    score_ += int64_t{rate_.lambda} * bits;
    bits_ += bits;
  }
  int place_bits(int last) const {
    const size_t last_class = last_class_of(last);
    return rate_.tables.cost[last_context(rate_.intra)][last_class] + 32 * kLastBits[last_class];
  }

  const int step_;
  const int64_t weight_;  // of a squared error, in the unit of the score
  const LevelRate& rate_;
  const Coefficients& coefficients_;
  TransformLevels& levels_;
  CodedMagnitudes magnitudes_;
  int begun_ = -1;  // the place of the last level
  int64_t score_ = 0;
  int bits_ = 0;
};

// Of Laplacian coefficients, about as many become zero as by choose_levels().
constexpr int kDeadZone = 43;  // rounding offset

int place_bits_of(const LevelRate& rate, int last) {
  const size_t last_class = last_class_of(last);
  return rate.tables.cost[last_context(rate.intra)][last_class] + 32 * kLastBits[last_class];
}

}  // namespace

int least_level_bits(const CodingTables& tables) {
  constexpr transform_context::Group kContexts = transform_context::kLastMagnitude;
  return std::ranges::min(std::span(tables.least_cost).subspan(kContexts.first, kContexts.size)) + kSign;
}

RoundedLevels round_levels(const Quantisation& quantisation, const LevelRate& rate, const Coefficients& coefficients,
                           TransformLevels& levels) {
  constexpr int kZero = 12, kDoubled = 2 * 32;  // in 1/32 bits, on average
  RoundedLevels rounded;
  int last = -1, count = 0;
  for (uint64_t coded = quantisation.quantise(coefficients, kDeadZone, levels); coded != 0; coded &= coded - 1) {
    const auto position = static_cast<size_t>(__builtin_ctzll(coded));
    const int magnitude = std::abs(int{levels[position]}), coefficient = std::abs(int{coefficients[position]});
    const int64_t error = coefficient - ((int64_t{magnitude} * quantisation.step() + 2) >> 2);
    rounded.saved += int64_t{coefficient} * coefficient - error * error;
    rounded.bits += kRoundedLevelBits + kDoubled * (bit_length(static_cast<uint32_t>(magnitude)) - 1);
    last = std::max(last, int{kZigzagPlaces.of[position]});
    ++count;
  }
  if (count == 0) return rounded;
  rounded.saved *= rate.weight / 8;
  rounded.bits += place_bits_of(rate, last) + kZero * (last + 1 - count);
  return rounded;
}

int choose_levels(const Quantisation& quantisation, const LevelRate& rate, const Coefficients& coefficients,
                  TransformLevels& levels) {
  uint64_t places = 0;
  for (uint64_t coded = quantisation.quantise(coefficients, kNearest, levels); coded != 0; coded &= coded - 1)
    places |= uint64_t{1} << kZigzagPlaces.of[static_cast<size_t>(__builtin_ctzll(coded))];
  return places == 0 ? 0 : LevelChoice(quantisation, rate, coefficients, levels).choose(places);
}

}  // namespace texcast::compact
