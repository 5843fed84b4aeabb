// transform_levels.h — the levels of a transform block that minimise D + lambda R (rate-distortion optimised
// quantisation). D is measured on coefficients, as the transform is nearly orthogonal.
#pragma once

#include <cstdint>

#include "compact/tables.h"
#include "transform_quantiser.h"

namespace texcast::compact {

struct LevelRate {
  const CodingTables& tables;  // of the component
  bool intra = false;
  int lambda = 0;
  int weight = 0;  // of a squared error: a multiple of 8
};
// Sets `levels`, and returns their bits in 1/32; 0: all levels are zero. `levels` may have been changed then.
int choose_levels(const Quantisation& quantisation, const LevelRate& rate, const Coefficients& coefficients,
                  TransformLevels& levels);

// The bits of the last coefficient, without its place: at least so many, in 1/32.
int least_level_bits(const CodingTables& tables);

// The same by rounding alone, with an estimate of the bits. `saved`: by how much the levels reduce 32 D.
struct RoundedLevels {
  int bits = 0;
  int64_t saved = 0;
};
inline constexpr int kRoundedLevelBits = 4 * 32;  // the estimate for a level of 1
RoundedLevels round_levels(const Quantisation& quantisation, const LevelRate& rate, const Coefficients& coefficients,
                           TransformLevels& levels);

}  // namespace texcast::compact
