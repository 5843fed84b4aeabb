#include "macroblock_trials.h"

#include "compact/level_distortion.h"
#include "compact/simd.h"
#include "transform_levels.h"

namespace texcast::compact {
namespace {

constexpr int kBlock = kTransformSide;

int least_bits_of(const CodingTables& tables, bool intra, bool rounds) {
  const int of_last = tables.least_cost[static_cast<size_t>(last_context(intra))];
  return of_last + (rounds ? kRoundedLevelBits : least_level_bits(tables));
}

}  // namespace

MacroblockTrials::MacroblockTrials(const Context& context, TransformReconstruction& reconstruction)
    : with_(context), reconstruction_(reconstruction) {
  for (size_t c = 0; c < kTransformComponents; ++c)
    for (const bool intra : {false, true})
      least_bits_[c][intra ? 1 : 0] = least_bits_of(*with_.tables[c], intra, with_.rounds);
}

void MacroblockTrials::begin(int column, int row, int lambda) {
  column_ = column;
  row_ = row;
  lambda_ = lambda;
  for (int c = 0; c < kTransformComponents; ++c) {
    blocks_[c] = reconstruction_.blocks(c, column, row);
    masks_[c] = blocks_[c].mask();
  }
}

void MacroblockTrials::inter(const MacroblockPrediction& prediction, const MotionVector& vector,
                             MacroblockTrial& trial) {
  const bool may_skip = vector == with_.neighbours.predictor(column_, row_);
  trial.macroblock = {.mode = may_skip ? MacroblockMode::inter : MacroblockMode::inter_coded, .vector = vector};
  trial.score = 0;
  int64_t uncoded = 0;  // the score without a residual
  Residual residual;
  for_each_block([&](const Block& block) {
    trial.score += choose_block(block, prediction[block.component], false, trial, residual, uncoded);
  });
  trial.score += int64_t{lambda_} * header_cost(trial.macroblock);
  if (!may_skip) return;
  const Macroblock skip{.mode = MacroblockMode::skip, .vector = vector};
  uncoded += int64_t{lambda_} * header_cost(skip);
  if (uncoded > trial.score) return;
  trial.macroblock = skip;
  trial.score = uncoded;
}

int64_t MacroblockTrials::distortion(const MacroblockPrediction& prediction) const {
  int64_t distortion = 0;
  Residual residual;
  for_each_block([&](const Block& block) {
    distortion += int64_t{kSampleWeights[block.component]} * subtract(block, prediction[block.component], residual);
  });
  return distortion;
}

void MacroblockTrials::intra(MacroblockMode mode, int64_t most, MacroblockTrial& trial) {
  trial.macroblock = {.mode = mode, .vector = with_.neighbours.predictor(column_, row_)};
  trial.score = 0;
  MacroblockTexels prediction;
  Residual residual;
  int64_t uncoded = 0;
  for_each_block([&](const Block& block) {
    if (trial.score >= most) return;
    const auto [c, i] = block;
    reconstruction_.predict_intra(c, blocks_[c], i, mode, prediction);
    trial.score += choose_block(block, prediction, true, trial, residual, uncoded);
    const bool is_coded = (trial.macroblock.coded[c] >> i & 1) != 0;
    reconstruction_.write_samples(c, blocks_[c], i, prediction, is_coded ? &residual : nullptr);
  });
  trial.score += int64_t{lambda_} * header_cost(trial.macroblock);
}

int64_t MacroblockTrials::choose_block(const Block& block, const MacroblockTexels& prediction, bool intra,
                                       MacroblockTrial& trial, Residual& residual, int64_t& uncoded) const {
  const auto [c, i] = block;
  const int64_t weight = 32 * kSampleWeights[c];
  const int64_t without = weight * subtract(block, prediction, residual);
  uncoded += without;
  if (int64_t{lambda_} * least_bits_[c][intra ? 1 : 0] >= without) return without;
  if (with_.rounds) return round_block(block, without, intra, trial, residual);
  const int bits = code(block, residual, intra, trial);
  if (bits == 0) return without;
  inverse_transform(trial.levels[c][i], with_.quantisation.step(), residual);
  const int64_t score = int64_t{lambda_} * bits + weight * coded_squares(block, prediction, residual);
  if (score >= without) return without;
  trial.macroblock.coded[c] = static_cast<uint8_t>(trial.macroblock.coded[c] | 1u << i);
  return score;
}

// choose_block() with less effort: without trying how the levels are decoded. `without`: the score without
// coefficients. Inter blocks do not need the residual.
int64_t MacroblockTrials::round_block(const Block& block, int64_t without, bool intra, MacroblockTrial& trial,
                                      Residual& residual) const {
  const auto [c, i] = block;
  Coefficients coefficients;
  forward_transform(residual, coefficients);
  const RoundedLevels rounded =
      round_levels(with_.quantisation, rate_of(block, intra), coefficients, trial.levels[c][i]);
  const int64_t gain = rounded.saved - int64_t{lambda_} * rounded.bits;
  if (rounded.bits == 0 || gain <= 0) return without;
  trial.macroblock.coded[c] = static_cast<uint8_t>(trial.macroblock.coded[c] | 1u << i);
  if (intra) inverse_transform(trial.levels[c][i], with_.quantisation.step(), residual);
  return without - gain;
}

int MacroblockTrials::subtract(const Block& block, const MacroblockTexels& prediction, Residual& residual) const {
  const int i = block.i;
  const uint8_t* source = source_of(block);
  const uint8_t* from = &prediction[static_cast<size_t>(transform_block_y(i) * kMacroblockSide + transform_block_x(i))];
  I32x4 squares{};
  for (size_t y = 0; y < kBlock; ++y, source += TransformSource::kStride, from += kMacroblockSide) {
    const I16x8 error = load_words(source) - load_words(from);
    squares += multiply_pairs(error, error);
    store_vector(&residual[y * kBlock], error);
  }
  return sum_of_lanes(squares);
}

// Sets the levels of a residual. Returns their bits in 1/32; 0: there are none.
int MacroblockTrials::code(const Block& block, const Residual& residual, bool intra, MacroblockTrial& trial) const {
  const auto [c, i] = block;
  Coefficients coefficients;
  forward_transform(residual, coefficients);
  return choose_levels(with_.quantisation, rate_of(block, intra), coefficients, trial.levels[c][i]);
}

LevelRate MacroblockTrials::rate_of(const Block& block, bool intra) const {
  const int c = block.component;
  return {.tables = *with_.tables[c], .intra = intra, .lambda = lambda_, .weight = kSampleWeights[c]};
}

int MacroblockTrials::coded_squares(const Block& block, const MacroblockTexels& prediction,
                                    const Residual& residual) const {
  const int i = block.i;
  const uint8_t* source = source_of(block);
  const uint8_t* from = &prediction[static_cast<size_t>(transform_block_y(i) * kMacroblockSide + transform_block_x(i))];
  I32x4 squares{};
  for (size_t y = 0; y < kBlock; ++y, source += TransformSource::kStride, from += kMacroblockSide) {
    const I16x8 row = load_words(from) + load_vector<I16x8>(&residual[y * kBlock]);
    const I16x8 error = load_words(source) - smaller(larger(row, I16x8{}), I16x8{} + int16_t{255});
    squares += multiply_pairs(error, error);
  }
  return sum_of_lanes(squares);
}

int MacroblockTrials::header_cost(const Macroblock& macroblock) const {
  TransformCost cost;
  put_macroblock(
      cost, [&](int c) { cost.use(*with_.tables[c]); }, with_.neighbours, column_, row_, masks_, macroblock);
  return cost.total();
}

}  // namespace texcast::compact
