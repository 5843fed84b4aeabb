#include "macroblock_decision.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <utility>

#include "compact/adaptive_quantisation.h"
#include "compact/symbol_writer.h"

namespace texcast::compact {
namespace {

// The sum for a transform block of the source and `value`.
int sum_of_differences(const uint8_t* at, int value) {
  U64x2 sums{};
  for (int y = 0; y < kTransformSide; y += 2, at += ptrdiff_t{2} * TransformSource::kStride) {
    const U64x2 rows{load_vector<uint64_t>(at), load_vector<uint64_t>(at + TransformSource::kStride)};
    sums += sums_of_differences(reinterpret_cast<U8x16>(rows), filled(value));
  }
  return static_cast<int>(sums[0] + sums[1]);
}

// The sums of absolute differences of the source and the mean of `from`, or the first of `from`, in every kStep-th row
// of eight.
template <bool kIsMean, size_t kStep>
U64x2 sums_of_rows(const TransformReference::Luma& from, size_t stride, const uint8_t* source) {
  U64x2 sums{};
  for (size_t y = 0; y < kTransformSide; y += kStep) {
    auto predicted = load_vector<U8x16>(from.first + y * stride);
    if constexpr (kIsMean) predicted = average(predicted, load_vector<U8x16>(from.second + y * stride));
    sums += sums_of_differences(predicted, load_vector<U8x16>(source + y * TransformSource::kStride));
  }
  return sums;
}

}  // namespace

MacroblockDecision::MacroblockDecision(const Context& context, std::byte* texture, SamplePlanes& samples,
                                       TransformTrialMemory& memory)
    : with_(context),
      memory_(memory),
      planes_(context.reference.planes),
      difference_cost_(static_cast<int>(std::lround(32 * std::sqrt(context.lambda / double{kLumaWeight})))),
      reconstruction_(context.grid, context.slice,
                      {.reference = context.reference.texture,
                       .reference_samples = context.reference.samples,
                       .texture = texture,
                       .samples = &samples}),
      neighbours_{.intra_slice = context.reference.texture == nullptr, .columns = reconstruction_.columns()},
      trials_({.grid = context.grid,
               .source = context.source,
               .quantisation = context.quantisation,
               .neighbours = neighbours_,
               .tables = context.tables,
               .rounds = context.effort.macroblocks <= MacroblockEffort::rough},
              reconstruction_) {}

const MacroblockTrial& MacroblockDecision::decide(int column, int row) {
  const auto partition = static_cast<size_t>(row * kMacroblockColumns + column);
  const int weight = lambda_weight(with_.reference.lambda_weights, partition);
  trials_.begin(column, row, with_.lambda * weight / kFullLambda);
  memory_.best().score = std::numeric_limits<int64_t>::max();
  if (!is_intra_slice()) decide_inter(column, row);
  const bool may_be_intra = memory_.best().score > 0 && is_intra_worthwhile(column, row);
  if (is_intra_slice() || may_be_intra) decide_intra();
  reconstruction_.begin(memory_.best().macroblock, memory_.best().levels, with_.quantisation.step(), column, row);
  return memory_.best();
}

void MacroblockDecision::keep_if_better() {
  if (memory_.trial().score < memory_.best().score) memory_.best_trial = 1 - memory_.best_trial;
}

void MacroblockDecision::predict(const MotionVector& vector) {
  for (int c = 0; c < kTransformComponents; ++c) {
    const TransformBlocks& blocks = trials_.blocks(c);
    if (planes_ == nullptr || !planes_->predict(c, blocks, vector, memory_.prediction[c]))
      reconstruction_.predict_inter(c, blocks, vector, memory_.prediction[c]);
  }
}

void MacroblockDecision::decide_inter(int column, int row) {
  const MotionVector predictor = neighbours_.predictor(column, row);
  if (skips_without_search(column, row, predictor)) return;
  const MotionVector vector = search(column, row);
  predict(vector);
  trials_.inter(memory_.prediction, vector, memory_.trial());
  keep_if_better();
  if (vector == predictor || with_.effort.macroblocks < MacroblockEffort::brief) return;
  predict(predictor);
  trials_.inter(memory_.prediction, predictor, memory_.trial());
  keep_if_better();
}

// A residual that saves fewer bits than that is not tried, nor is another vector searched.
int MacroblockDecision::skip_bits() const {
  switch (with_.effort.macroblocks) {
    case MacroblockEffort::usual: return 0;
    case MacroblockEffort::quick: return 12;
    case MacroblockEffort::brief: return 16;
    case MacroblockEffort::little: return 24;
    case MacroblockEffort::rough: return 24;
    case MacroblockEffort::least: return 32;
  }
  return 0;
}

// The weighted sum of squares is at least this if the sum of absolute differences of luma is `difference`.
int64_t MacroblockDecision::least_distortion(int difference) {
  constexpr int kTexels = kMacroblockSide * kMacroblockSide;
  return kLumaWeight * (int64_t{difference} * difference / kTexels);
}
// Whether a better vector in whole pixels would save few bits.
bool MacroblockDecision::is_near(int difference) const {
  constexpr int kFewBits = 24;
  return least_distortion(difference) < int64_t{with_.lambda} * kFewBits;
}

// Whether the macroblock is skipped because the prediction at the predicted vector is good enough, in all components.
bool MacroblockDecision::skips_without_search(int column, int row, const MotionVector& predictor) {
  if (skip_bits() == 0) return false;
  const int64_t most = int64_t{with_.lambda} * skip_bits();
  const int difference = difference_at(column, row, predictor, std::numeric_limits<int>::max());
  if (least_distortion(difference) >= most) return false;
  predict(predictor);
  if (trials_.distortion(memory_.prediction) >= most) return false;
  memory_.best().macroblock = {.mode = MacroblockMode::skip, .vector = predictor};
  memory_.best().score = 0;
  least_difference_ = difference;
  return true;
}

void MacroblockDecision::decide_intra() {
  for (const auto mode : {MacroblockMode::intra_dc, MacroblockMode::intra_horizontal, MacroblockMode::intra_vertical,
                          MacroblockMode::intra_planar}) {
    const bool has_direction = mode == MacroblockMode::intra_horizontal || mode == MacroblockMode::intra_vertical;
    if (has_direction && with_.effort.macroblocks == MacroblockEffort::least) continue;
    trials_.intra(mode, memory_.best().score, memory_.trial());
    keep_if_better();
  }
}

// Whether the best inter prediction differs from the source more than the means of transform blocks would.
bool MacroblockDecision::is_intra_worthwhile(int column, int row) const {
  const TransformBlocks& blocks = trials_.blocks(0);
  int differences = 0;
  for (int i = 0; i < kMostTransformBlocks; ++i) {
    if (!blocks.has(i)) continue;
    const uint8_t* const at = with_.source.at(0, column * kMacroblockSide + transform_block_x(i),
                                              row * kMacroblockSide + transform_block_y(i));
    const int mean = (sum_of_differences(at, 0) + kCoefficients / 2) / kCoefficients;
    differences += sum_of_differences(at, mean);
  }
  return differences < least_difference_;
}

MotionVector MacroblockDecision::partition_vector(int column, int row) const {
  const auto partition = static_cast<size_t>(row * kMacroblockColumns + column);
  if (partition >= with_.reference.vectors.size()) return {};
  const MotionVector& halves = with_.reference.vectors[partition];
  return {2 * halves.x, 2 * halves.y};
}

// The sum of absolute differences of luma; or if it is at least `enough`, any number from `enough` on.
int MacroblockDecision::difference_at(int column, int row, const MotionVector& vector, int enough) {
  const TransformBlocks& blocks = trials_.blocks(0);
  TransformReference::Luma from;
  if (planes_ != nullptr) from = planes_->luma(blocks.x * 16 + vector.x, blocks.y * 16 + vector.y);
  size_t stride = kMacroblockSide;
  if (from.first != nullptr) {
    stride = planes_->stride(0);
  } else {
    reconstruction_.predict_inter(0, blocks, vector, memory_.prediction[0]);
    from.first = from.second = memory_.prediction[0].data();
  }
  const uint8_t* source = with_.source.at(0, column * kMacroblockSide, row * kMacroblockSide);
  int sum = 0;
  for (int block_row = 0; block_row < blocks.rows && sum < enough; ++block_row) {
    const U64x2 sums = sums_of_eight_rows(from, stride, source);
    sum += static_cast<int>(sums[0] + (blocks.columns > 1 ? sums[1] : 0));
    from = {from.first + kTransformSide * stride, from.second + kTransformSide * stride};
    source += ptrdiff_t{kTransformSide} * TransformSource::kStride;
  }
  return sum;
}

U64x2 MacroblockDecision::sums_of_eight_rows(const TransformReference::Luma& from, size_t stride,
                                             const uint8_t* source) const {
  const bool is_mean = from.first != from.second;
  if (with_.effort.macroblocks <= MacroblockEffort::rough)
    return (is_mean ? sums_of_rows<true, 2>(from, stride, source) : sums_of_rows<false, 2>(from, stride, source)) << 1;
  return is_mean ? sums_of_rows<true, 1>(from, stride, source) : sums_of_rows<false, 1>(from, stride, source);
}

// The vector with the least sum of absolute differences and bits of the vector: the best of the neighbours' and the
// partition's, then of those around it at half pixels, and with more than the least effort at quarter pixels.
MotionVector MacroblockDecision::search(int column, int row) {
  const MotionVector predictor = neighbours_.predictor(column, row);
  MotionVector best = predictor;
  int least = difference_at(column, row, predictor, std::numeric_limits<int>::max());
  least_difference_ = least;
  // The latest ones. A vector that is tried again only takes time.
  std::array<MotionVector, 8> tried;
  tried.fill(predictor);
  size_t count = 0;
  const auto attempt = [&](const MotionVector& vector) {
    const MotionVector difference{vector.x - predictor.x, vector.y - predictor.y};
    if (!is_codable(difference)) return;
    if (std::ranges::find(tried, vector) != tried.end()) return;
    tried[count++ % tried.size()] = vector;
    const int bits = vector_cost(*with_.tables[0], difference);
    const int from_bits = static_cast<int>(int64_t{bits} * difference_cost_ >> 10);
    if (from_bits >= least) return;
    const int differences = difference_at(column, row, vector, least - from_bits);
    if (differences + from_bits >= least) return;
    least = differences + from_bits;
    least_difference_ = differences;
    best = vector;
  };
  attempt(partition_vector(column, row));
  attempt({});
  const auto at = [&](int x, int y) { return neighbours_.vectors[MacroblockNeighbours::index(x, y)]; };
  if (column > 0) attempt(at(column - 1, row));
  if (row > 0) attempt(at(column, row - 1));
  if (row > 0 && column + 1 < columns()) attempt(at(column + 1, row - 1));
  const auto attempt_cross = [&](int distance) {
    const MotionVector from = best;
    for (const auto& [x, y] : {std::pair(-distance, 0), {distance, 0}, {0, -distance}, {0, distance}})
      attempt({from.x + x, from.y + y});
    return best != from;
  };
  // In steps of 8, 4, 2 and 1 pixels, of which large ones seldom improve a prediction that is already near.
  constexpr int kDifference = 24;
  for (int distance = with_.effort.by_macroblocks ? 32 : 0; distance >= 4 && !is_near(least_difference_); distance /= 2)
    if (least_difference_ > kDifference * distance && attempt_cross(distance)) attempt_cross(distance);
  for (const int distance : {2, 1}) {
    const bool has_corners =
        with_.effort.macroblocks >= (distance == 1 ? MacroblockEffort::quick : MacroblockEffort::usual);
    if (distance == 1 && with_.effort.macroblocks == MacroblockEffort::least) break;
    if (with_.effort.macroblocks <= MacroblockEffort::little && is_near(least_difference_)) break;
    const MotionVector from = best;
    for (int dy = -1; dy <= 1; ++dy)
      for (int dx = -1; dx <= 1; ++dx)
        if (has_corners || dx * dy == 0) attempt({from.x + distance * dx, from.y + distance * dy});
  }
  return best;
}

}  // namespace texcast::compact
