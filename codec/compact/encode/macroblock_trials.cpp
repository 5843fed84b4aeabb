#include "macroblock_trials.h"

#include <algorithm>
#include <span>

#include "compact/level_distortion.h"
#include "compact/sub_block.h"
#include "transform_levels.h"

namespace texcast::compact {
namespace {

constexpr int kBlock = kTransformSide;

}  // namespace

void MacroblockTrials::begin(int column, int row, int lambda) {
  column_ = column;
  row_ = row;
  lambda_ = lambda;
  for (int c = 0; c < kTransformComponents; ++c) {
    blocks_[c] = reconstruction_.blocks(c, column, row);
    masks_[c] = blocks_[c].mask();
  }
}

void MacroblockTrials::Fits::run() { fit_blocks(wanted_.data(), count_, fitted_.data()); }

int MacroblockTrials::Fits::squares(int first, int end) const {
  I32x4 sums{};
  for (auto i = static_cast<size_t>(first); i < static_cast<size_t>(end); ++i)
    sums += lanes_of_squares(fitted_[i].texels, sources_[i]);
  return sum_of_lanes(sums);
}

void MacroblockTrials::inter(const MacroblockPrediction& prediction, const MotionVector& vector,
                             MacroblockTrial& trial) {
  const MotionVector predictor = with_.neighbours.predictor(column_, row_);
  trial.macroblock = {.mode = vector == predictor ? MacroblockMode::inter : MacroblockMode::inter_coded,
                      .vector = vector};
  trial.score = 0;
  int64_t uncoded = 0;  // the score without a residual
  bool may_skip = vector == predictor;
  std::array<InterBlock, kTransformComponents * kMostTransformBlocks> blocks;
  size_t count = 0;
  fits_.clear();
  for_each_block(
      [&](const Block& block) { blocks[count++] = prepare(block, prediction[block.component], vector, trial); });
  fits_.run();
  for (const InterBlock& of : std::span(blocks).first(count)) {
    const auto [c, i] = of.block;
    const int64_t weight = 32 * kSampleWeights[c];
    int64_t best = std::numeric_limits<int64_t>::max();
    if (of.has_uncoded)
      uncoded += best = weight * (of.squares + fits_.squares(of.uncoded[0], of.uncoded[1]));
    else
      may_skip = false;
    if (of.bits > 0) {
      const int64_t score = int64_t{lambda_} * of.bits + weight * fits_.squares(of.coded[0], of.coded[1]);
      if (score < best) {
        best = score;
        trial.macroblock.coded[c] = static_cast<uint8_t>(trial.macroblock.coded[c] | 1u << i);
      }
    }
    trial.score += best;
  }
  trial.score += int64_t{lambda_} * header_cost(trial.macroblock);
  if (!may_skip) return;
  const Macroblock skip{.mode = MacroblockMode::skip, .vector = vector};
  uncoded += int64_t{lambda_} * header_cost(skip);
  if (uncoded > trial.score) return;
  trial.macroblock = skip;
  trial.score = uncoded;
}

MacroblockTrials::InterBlock MacroblockTrials::prepare(const Block& block, const MacroblockTexels& prediction,
                                                       const MotionVector& vector, MacroblockTrial& trial) {
  const int c = block.component;
  InterBlock out{.block = block};
  Residual residual;
  const int before = subtract(block, prediction, residual);
  out.bits = code(block, residual, false, trial);
  if (out.bits > 0) {
    Residual coded;
    inverse_transform(trial.levels[c][block.i], with_.quantisation.step(), coded);
    I32x4 squares{};
    for (size_t at = 0; at < kCoefficients; at += 8) {
      const I16x8 error = load_vector<I16x8>(&residual[at]) - load_vector<I16x8>(&coded[at]);
      squares += multiply_pairs(error, error);
    }
    const int64_t weight = 32 * kSampleWeights[c];
    out.has_uncoded = weight * before < 2 * (int64_t{lambda_} * out.bits + weight * sum_of_lanes(squares));
    out.coded[0] = fits_.count();
    add_fits(block, prediction, &coded);
    out.coded[1] = fits_.count();
  }
  if (!out.has_uncoded) return out;
  if (is_copy(c, vector)) {
    out.squares = prediction_squares(block, prediction);
  } else {
    out.uncoded[0] = fits_.count();
    add_fits(block, prediction, nullptr);
    out.uncoded[1] = fits_.count();
  }
  return out;
}

void MacroblockTrials::intra(MacroblockMode mode, int64_t most, MacroblockTrial& trial) {
  trial.macroblock = {.mode = mode, .vector = with_.neighbours.predictor(column_, row_)};
  trial.score = 0;
  MacroblockTexels prediction;
  for_each_block([&](const Block& block) {
    if (trial.score >= most) return;
    const int c = block.component;
    reconstruction_.predict_intra(c, blocks_[c], block.i, mode, prediction);
    trial.score += intra_block(block, prediction, trial);
  });
  trial.score += int64_t{lambda_} * header_cost(trial.macroblock);
}

// Codes a transform block with or without coefficients, whichever has the lower score, which is returned, and writes it
// to the reconstruction.
int64_t MacroblockTrials::intra_block(const Block& block, const MacroblockTexels& prediction, MacroblockTrial& trial) {
  const auto [c, i] = block;
  Residual residual;
  subtract(block, prediction, residual);
  fits_.clear();
  add_fits(block, prediction, nullptr);
  const int uncoded = fits_.count();
  const int bits = code(block, residual, true, trial);
  if (bits > 0) {
    inverse_transform(trial.levels[c][i], with_.quantisation.step(), residual);
    add_fits(block, prediction, &residual);
  }
  fits_.run();
  const int64_t weight = 32 * kSampleWeights[c];
  int64_t best = weight * fits_.squares(0, uncoded);
  bool is_coded = false;
  if (bits > 0) {
    const int64_t score = int64_t{lambda_} * bits + weight * fits_.squares(uncoded, fits_.count());
    is_coded = score < best;
    best = std::min(best, score);
  }
  if (is_coded) trial.macroblock.coded[c] = static_cast<uint8_t>(trial.macroblock.coded[c] | 1u << i);
  reconstruction_.fit(c, blocks_[c], i, prediction, is_coded ? &residual : nullptr);
  return best;
}

int MacroblockTrials::subtract(const Block& block, const MacroblockTexels& prediction, Residual& residual) const {
  const auto [c, i] = block;
  const uint8_t* source =
      with_.source.at(c, x_of_component(c) + transform_block_x(i), y_of_component(c) + transform_block_y(i));
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
  const LevelRate rate{.tables = *with_.tables[c], .intra = intra, .lambda = lambda_, .weight = kSampleWeights[c]};
  return choose_levels(with_.quantisation, rate, coefficients, trial.levels[c][i]);
}

void MacroblockTrials::add_fits(const Block& block, const MacroblockTexels& prediction, const Residual* residual) {
  const auto [c, i] = block;
  alignas(16) std::array<uint8_t, kCoefficients> wanted;
  for (size_t y = 0; y < kBlock; ++y) {
    I16x8 row = load_words(&prediction[(static_cast<size_t>(transform_block_y(i)) + y) * kMacroblockSide +
                                       static_cast<size_t>(transform_block_x(i))]);
    if (residual != nullptr) row += load_vector<I16x8>(&(*residual)[y * kBlock]);
    store_limited_words(&wanted[y * kBlock], row);
  }
  for (int part = 0; part < 4; ++part) {
    const int x = part % 2 * 4, y = part / 2 * 4;
    if ((transform_block_x(i) + x) / 4 >= blocks_[c].block_columns ||
        (transform_block_y(i) + y) / 4 >= blocks_[c].block_rows)
      continue;
    fits_.add(load_block(&wanted[static_cast<size_t>(y * kBlock + x)], kBlock),
              with_.source.block(c, x_of_component(c) + transform_block_x(i) + x,
                                 y_of_component(c) + transform_block_y(i) + y));
  }
}

// The squared errors of an exact copy, which has the texels of the prediction.
int MacroblockTrials::prediction_squares(const Block& block, const MacroblockTexels& prediction) const {
  const auto [c, i] = block;
  int squares = 0;
  for (int part = 0; part < 4; ++part) {
    const int x = transform_block_x(i) + part % 2 * 4, y = transform_block_y(i) + part / 2 * 4;
    if (x / 4 >= blocks_[c].block_columns || y / 4 >= blocks_[c].block_rows) continue;
    squares += squares_of(load_block(&prediction[static_cast<size_t>(y * kMacroblockSide + x)], kMacroblockSide),
                          with_.source.block(c, x_of_component(c) + x, y_of_component(c) + y));
  }
  return squares;
}

int MacroblockTrials::header_cost(const Macroblock& macroblock) const {
  TransformCost cost;
  put_macroblock(
      cost, [&](int c) { cost.use(*with_.tables[c]); }, with_.neighbours, column_, row_, masks_, macroblock);
  return cost.total();
}

}  // namespace texcast::compact
