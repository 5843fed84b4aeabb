#include "transform_reference.h"

#include <algorithm>

#include "compact/sub_block.h"

namespace texcast::compact::reference {
namespace {

constexpr int kSteps = 7;  // between the end points

struct Words {  // one for each texel
  I16x8 low, high;
};
Words widened(U8x16 bytes) {
  return {reinterpret_cast<I16x8>(mix_low(bytes, U8x16{})), reinterpret_cast<I16x8>(mix_high(bytes, U8x16{}))};
}

struct EndPair {
  int high, low;
};

// Levels from the low end point to the high one: the nearest value, the lower one of two that are equally near.
I16x8 levels_of(I16x8 wanted, EndPair ends) {
  const auto range = static_cast<int16_t>(ends.high - ends.low);
  const I16x8 twice = (wanted - static_cast<int16_t>(ends.low)) * 14;
  I16x8 levels{};
  for (int16_t k = 0; k < kSteps; ++k) levels -= twice > static_cast<int16_t>((2 * k + 1) * range);
  return levels;
}
I16x8 values_of(I16x8 levels, EndPair ends) {
  const auto range = static_cast<uint16_t>(ends.high - ends.low);
  // A seventh, rounded down: exact for all numbers that occur.
  const U16x8 between = multiply_high(reinterpret_cast<U16x8>(levels) * range + uint16_t{3}, U16x8{} + uint16_t{9363});
  return reinterpret_cast<I16x8>(between) + static_cast<int16_t>(ends.low);
}

int sum_of(I32x4 lanes) { return lanes[0] + lanes[1] + lanes[2] + lanes[3]; }

class Fit {
 public:
  explicit Fit(U8x16 wanted) : wanted_(widened(wanted)) {}

  // Keeps these end points if they are better than the best ones so far.
  void attempt(EndPair ends) {
    if (ends.high <= ends.low) return;
    const Words levels{levels_of(wanted_.low, ends), levels_of(wanted_.high, ends)};
    const I16x8 low = values_of(levels.low, ends) - wanted_.low, high = values_of(levels.high, ends) - wanted_.high;
    const int error = sum_of(multiply_pairs(low, low) + multiply_pairs(high, high));
    if (error >= least_error_) return;
    least_error_ = error;
    best_ = ends;
    levels_ = levels;
  }
  EndPair best() const { return best_; }

  // The end points with the least squared error for the best levels.
  EndPair least_squares() const {
    constexpr I16x8 kOnes{1, 1, 1, 1, 1, 1, 1, 1};
    const int levels = sum_of(multiply_pairs(levels_.low, kOnes) + multiply_pairs(levels_.high, kOnes));
    const int squares = sum_of(multiply_pairs(levels_.low, levels_.low) + multiply_pairs(levels_.high, levels_.high));
    const int values = sum_of(multiply_pairs(wanted_.low, kOnes) + multiply_pairs(wanted_.high, kOnes));
    const int products = sum_of(multiply_pairs(levels_.low, wanted_.low) + multiply_pairs(levels_.high, wanted_.high));
    const int divisor = 16 * squares - levels * levels;
    if (divisor == 0) return {0, 0};
    const int at_low = squares * values - levels * products, slope = 16 * products - levels * values;
    const auto rounded = [&](int numerator) {
      return std::clamp(numerator < 0 ? 0 : (2 * numerator + divisor) / (2 * divisor), 0, 255);
    };
    return {rounded(at_low + kSteps * slope), rounded(at_low)};
  }

  FittedBlock result() const {
    const U8x16 levels = low_bytes(reinterpret_cast<U16x8>(levels_.low), reinterpret_cast<U16x8>(levels_.high));
    Levels from_first;
    for (int i = 0; i < 16; ++i) from_first[static_cast<size_t>(i)] = static_cast<uint8_t>(kSteps - levels[i]);
    return {with_levels<ChannelSubBlock>(static_cast<uint32_t>(best_.high | best_.low << 8), from_first, true),
            low_bytes(reinterpret_cast<U16x8>(values_of(levels_.low, best_)),
                      reinterpret_cast<U16x8>(values_of(levels_.high, best_)))};
  }

 private:
  const Words wanted_;
  int least_error_ = 16 * 255 * 255 + 1;
  EndPair best_{};
  Words levels_{};
};

}  // namespace

FittedBlock fit_block(U8x16 wanted) {
  int least = 255, most = 0;
  for (int i = 0; i < 16; ++i) {
    least = std::min<int>(least, wanted[i]);
    most = std::max<int>(most, wanted[i]);
  }
  if (least == most) return {static_cast<uint64_t>(least | least << 8), wanted};
  const int range = most - least;
  Fit fit(wanted);
  fit.attempt({most, least});
  for (const int inset : {(range + 16) / 32, (range + 5) / 10}) fit.attempt({most - inset, least + inset});
  const int inset = (range + 8) / 16;
  fit.attempt({most - inset, least});
  fit.attempt({most, least + inset});
  fit.attempt(fit.least_squares());
  const EndPair around = fit.best();
  fit.attempt({std::min(around.high + 1, 255), around.low});
  fit.attempt({around.high - 1, around.low});
  fit.attempt({around.high, around.low + 1});
  fit.attempt({around.high, std::max(around.low - 1, 0)});
  return fit.result();
}

U8x16 nearest_texels(uint64_t sub_block) {
  const int first = static_cast<int>(sub_block & 255), second = static_cast<int>(sub_block >> 8 & 255);
  const bool full = first > second;
  const int steps = ChannelSubBlock::steps(full);
  std::array<uint8_t, ChannelSubBlock::kLevels> palette{};
  for (int level = 0; level <= steps; ++level)
    palette[static_cast<size_t>(level)] =
        static_cast<uint8_t>((first * (steps - level) + second * level + steps / 2) / steps);
  if (!full) palette[7] = 255;
  const Levels levels = compact::levels_of<ChannelSubBlock>(sub_block, full);
  U8x16 texels{};
  for (int i = 0; i < 16; ++i) texels[i] = palette[levels[static_cast<size_t>(i)]];
  return texels;
}

namespace {

// Row k has the samples of basis function k.
constexpr int kMatrix[kTransformSide][kTransformSide] = {
    {64, 64, 64, 64, 64, 64, 64, 64},     {89, 75, 50, 18, -18, -50, -75, -89}, {83, 36, -36, -83, -83, -36, 36, 83},
    {75, -18, -89, -50, 50, 89, 18, -75}, {64, -64, -64, 64, 64, -64, -64, 64}, {50, -89, 18, 75, -75, -18, 89, -50},
    {36, -83, 83, -36, -36, 83, -83, 36}, {18, -50, 75, -89, 89, -75, 50, -18}};

int16_t rounded(int sum, int shift) {
  return static_cast<int16_t>(std::clamp((sum + (1 << (shift - 1))) >> shift, -32768, 32767));
}

}  // namespace

void inverse_transform(const TransformLevels& levels, int step, Residual& residual) {
  constexpr int kFirstShift = 7, kSecondShift = 12;
  std::array<int16_t, kCoefficients> columns;
  for (int x = 0; x < kTransformSide; ++x)
    for (int y = 0; y < kTransformSide; ++y) {
      int sum = 0;
      for (int k = 0; k < kTransformSide; ++k)
        sum += kMatrix[k][y] * dequantised(levels[static_cast<size_t>(k * kTransformSide + x)], step);
      columns[static_cast<size_t>(y * kTransformSide + x)] = rounded(sum, kFirstShift);
    }
  for (int y = 0; y < kTransformSide; ++y)
    for (int x = 0; x < kTransformSide; ++x) {
      int sum = 0;
      for (int k = 0; k < kTransformSide; ++k)
        sum += kMatrix[k][x] * columns[static_cast<size_t>(y * kTransformSide + k)];
      residual[static_cast<size_t>(y * kTransformSide + x)] = rounded(sum, kSecondShift);
    }
}

void forward_transform(const Residual& residual, std::array<int16_t, kCoefficients>& coefficients) {
  constexpr int kFirstShift = 2, kSecondShift = 9;
  std::array<int16_t, kCoefficients> rows;
  for (int y = 0; y < kTransformSide; ++y)
    for (int k = 0; k < kTransformSide; ++k) {
      int sum = 0;
      for (int x = 0; x < kTransformSide; ++x)
        sum += kMatrix[k][x] * residual[static_cast<size_t>(y * kTransformSide + x)];
      rows[static_cast<size_t>(y * kTransformSide + k)] = rounded(sum, kFirstShift);
    }
  for (int x = 0; x < kTransformSide; ++x)
    for (int k = 0; k < kTransformSide; ++k) {
      int sum = 0;
      for (int y = 0; y < kTransformSide; ++y) sum += kMatrix[k][y] * rows[static_cast<size_t>(y * kTransformSide + x)];
      coefficients[static_cast<size_t>(k * kTransformSide + x)] = rounded(sum, kSecondShift);
    }
}

namespace {

constexpr int kHalfTaps[] = {1, -4, 19, 19, -4, 1};

int limited8(int value) { return std::clamp(value, 0, 255); }

// The sum of 36 products, or of 6, at a place in half texels.
int half_sample(const uint8_t* from, ptrdiff_t stride, int half_x, int half_y) {
  const uint8_t* const at = from + (half_y >> 1) * stride + (half_x >> 1);
  int sum = 0;
  for (int j = -2; j <= 3; ++j)
    for (int i = -2; i <= 3; ++i) {
      const int across = (half_x & 1) != 0 ? kHalfTaps[i + 2] : i == 0 ? 32 : 0;
      const int down = (half_y & 1) != 0 ? kHalfTaps[j + 2] : j == 0 ? 32 : 0;
      if (across * down != 0) sum += across * down * at[j * stride + i];
    }
  return limited8((sum + 512) >> 10);
}
int quarter_texel(const uint8_t* from, ptrdiff_t stride, int quarter_x, int quarter_y) {
  const int x = quarter_x >> 1, y = quarter_y >> 1;
  const bool between_x = quarter_x % 2 != 0, between_y = quarter_y % 2 != 0;
  if (!between_x && !between_y) return half_sample(from, stride, x, y);
  int sum = 0;
  for (int j = y; j <= y + (between_y ? 1 : 0); ++j)
    for (int i = x; i <= x + (between_x ? 1 : 0); ++i)
      if (!between_x || !between_y || (i + j) % 2 != 0) sum += half_sample(from, stride, i, j);
  return (sum + 1) / 2;
}

int eighth_texel(const uint8_t* at, ptrdiff_t stride, int eighth_x, int eighth_y) {
  const auto &across = eighth_taps(eighth_x), &down = eighth_taps(eighth_y);
  int sum = 0;
  for (int j = 0; j < 4; ++j)
    for (int i = 0; i < 4; ++i) {
      const int weight = across[static_cast<size_t>(i)] * down[static_cast<size_t>(j)];
      if (weight != 0) sum += weight * at[(j - 1) * stride + i - 1];
    }
  return limited8((sum + 2048) >> 12);
}

}  // namespace

void interpolate(const uint8_t* from, ptrdiff_t stride, int width, int height, const TexelVector& vector,
                 const Component& component, uint8_t* out, ptrdiff_t out_stride) {
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const uint8_t* const at = from + y * stride + x;
      out[y * out_stride + x] = static_cast<uint8_t>(
          component.across * component.down > 1 ? eighth_texel(at, stride, vector.eighth_x, vector.eighth_y)
                                                : quarter_texel(at, stride, vector.eighth_x / 2, vector.eighth_y / 2));
    }
}

void window(const SamplePlanes& planes, int component, int x, int y, int width, int height, uint8_t* out,
            ptrdiff_t stride) {
  const int last_x = planes.layout().width(component) - 1, last_y = planes.layout().height(component) - 1;
  for (int j = 0; j < height; ++j)
    for (int i = 0; i < width; ++i)
      out[j * stride + i] = *planes.at(component, std::clamp(x + i, 0, last_x), std::clamp(y + j, 0, last_y));
}

namespace {

constexpr int kSide = kMacroblockSide, kBlock = kTransformSide;
int x_of(int i) { return i % 2 * kBlock; }
int y_of(int i) { return i / 2 * kBlock; }

// The texels on the left of a transform block and above it.
struct Edges {
  bool has_left = false, has_above = false;
  std::array<int, kBlock> left{}, above{};
};

int mean_of(const Edges& edges) {
  int sum = 0;
  for (int i = 0; i < kBlock; ++i)
    sum += (edges.has_left ? edges.left[static_cast<size_t>(i)] : 0) +
           (edges.has_above ? edges.above[static_cast<size_t>(i)] : 0);
  if (edges.has_left && edges.has_above) return (sum + kBlock) / (2 * kBlock);
  return edges.has_left || edges.has_above ? (sum + kBlock / 2) / kBlock : 128;
}

int intra_texel(const Edges& edges, MacroblockMode mode, int mean, int x, int y) {
  const auto left = [&](int i) { return edges.left[static_cast<size_t>(i)]; };
  const auto above = [&](int i) { return edges.above[static_cast<size_t>(i)]; };
  constexpr int kLast = kBlock - 1;
  switch (mode) {
    case MacroblockMode::intra_horizontal: return edges.has_left ? left(y) : mean;
    case MacroblockMode::intra_vertical: return edges.has_above ? above(x) : mean;
    case MacroblockMode::intra_planar:
      if (!edges.has_left || !edges.has_above) return mean;
      return ((kLast - x) * left(y) + (x + 1) * above(kLast) + (kLast - y) * above(x) + (y + 1) * left(kLast) +
              kBlock) /
             (2 * kBlock);
    default: return mean;
  }
}

}  // namespace

Reconstruction::Reconstruction(const TileGrid& grid, const Slice& slice, const TransformFrames& frames)
    : MacroblockGrid(grid, slice), frames_(frames) {}

void Reconstruction::reconstruct(const Macroblock& macroblock, const MacroblockLevels& levels, int step, int column,
                                 int row) {
  MacroblockTexels prediction;
  Residual residual;
  for (int c = 0; c < kTransformComponents; ++c) {
    const TransformBlocks of_component = blocks(c, column, row);
    const bool intra = is_intra(macroblock.mode);
    if (!intra) predict_inter(c, of_component, macroblock.vector, prediction);
    for (int i = 0; i < kMostTransformBlocks; ++i) {
      if (!of_component.has(i)) continue;
      const bool is_coded = (macroblock.coded[static_cast<size_t>(c)] >> i & 1) != 0;
      if (intra)
        predict_intra(c, of_component, i, macroblock.mode, prediction);
      else if (!is_coded && copy(c, of_component, i, macroblock.vector))
        continue;
      if (is_coded) inverse_transform(levels[static_cast<size_t>(c)][static_cast<size_t>(i)], step, residual);
      fit(c, of_component, i, prediction, is_coded ? &residual : nullptr);
    }
  }
}

void Reconstruction::predict_inter(int component, const TransformBlocks& blocks, const MotionVector& vector,
                                   MacroblockTexels& texels) const {
  constexpr int kWindow = kSide + kTapsBefore + kTapsAfter;
  std::array<uint8_t, kWindow * kWindow> texels_around;
  const Component& of = MacroblockGrid::component(component);
  const TexelVector by = texel_vector(vector, of);
  const int width = blocks.columns * kBlock, height = blocks.rows * kBlock;
  window(*frames_.reference_samples, component, blocks.x * 4 + by.x - kTapsBefore, blocks.y * 4 + by.y - kTapsBefore,
         width + kTapsBefore + kTapsAfter, height + kTapsBefore + kTapsAfter, texels_around.data(), kWindow);
  reference::interpolate(texels_around.data() + kTapsBefore * kWindow + kTapsBefore, kWindow, width, height, by, of,
                         texels.data(), kSide);
}

void Reconstruction::predict_intra(int component, const TransformBlocks& blocks, int i, MacroblockMode mode,
                                   MacroblockTexels& texels) const {
  const BlockRect& rect = this->rect(component);
  const int x0 = blocks.x * 4 + x_of(i), y0 = blocks.y * 4 + y_of(i);
  const int last_x = rect.x1 * 4 - 1, last_y = rect.y1 * 4 - 1;
  Edges edges{.has_left = x0 > rect.x0 * 4, .has_above = y0 > rect.y0 * 4};
  const auto sample = [&](int x, int y) { return *frames_.samples->at(component, x, y); };
  for (int k = 0; k < kBlock; ++k) {
    if (edges.has_left) edges.left[static_cast<size_t>(k)] = sample(x0 - 1, std::min(y0 + k, last_y));
    if (edges.has_above) edges.above[static_cast<size_t>(k)] = sample(std::min(x0 + k, last_x), y0 - 1);
  }
  const int mean = mean_of(edges);
  for (int y = 0; y < kBlock; ++y)
    for (int x = 0; x < kBlock; ++x)
      texels[static_cast<size_t>((y_of(i) + y) * kSide + x_of(i) + x)] =
          static_cast<uint8_t>(intra_texel(edges, mode, mean, x, y));
}

void Reconstruction::fit(int component, const TransformBlocks& blocks, int i, const MacroblockTexels& prediction,
                         const Residual* residual) {
  for (int part = 0; part < 4; ++part) {
    const int x = x_of(i) / 4 + part % 2, y = y_of(i) / 4 + part / 2;  // in blocks, of the macroblock
    if (x >= blocks.block_columns || y >= blocks.block_rows) continue;
    U8x16 wanted{};
    for (int k = 0; k < 16; ++k) {
      const int column = x * 4 + k % 4, row = y * 4 + k / 4;
      const int value = prediction[static_cast<size_t>(row * kSide + column)];
      const int error =
          residual == nullptr ? 0 : (*residual)[static_cast<size_t>(row % kBlock * kBlock + column % kBlock)];
      wanted[k] = static_cast<uint8_t>(std::clamp(value + error, 0, 255));
    }
    put(component, blocks.x + x, blocks.y + y, fit_block(wanted).sub_block, wanted);
  }
}

bool Reconstruction::copy(int component, const TransformBlocks& blocks, int i, const MotionVector& vector) {
  const Component& of = MacroblockGrid::component(component);
  const TexelVector by = texel_vector(vector, of);
  if (!by.is_whole_blocks()) return false;
  const int x0 = blocks.x + x_of(i) / 4, y0 = blocks.y + y_of(i) / 4;
  const int x1 = std::min(x0 + 2, blocks.x + blocks.block_columns), y1 = std::min(y0 + 2, blocks.y + blocks.block_rows);
  const int across = by.x / 4, down = by.y / 4;
  const auto has_block = [&](int x, int y) { return x >= 0 && y >= 0 && x < of.blocks_x && y < of.blocks_y; };
  if (!has_block(x0 + across, y0 + down) || !has_block(x1 - 1 + across, y1 - 1 + down)) return false;
  for (int y = y0; y < y1; ++y)
    for (int x = x0; x < x1; ++x) {
      U8x16 samples{};
      for (int k = 0; k < 16; ++k)
        samples[k] = *frames_.reference_samples->at(component, (x + across) * 4 + k % 4, (y + down) * 4 + k / 4);
      put(component, x, y, load_sub_block(frames_.reference + of.at(x + across, y + down)), samples);
    }
  return true;
}

void Reconstruction::put(int component, int x, int y, uint64_t sub_block, U8x16 samples) {
  store_sub_block(frames_.texture + MacroblockGrid::component(component).at(x, y), sub_block);
  for (int k = 0; k < 16; ++k) *frames_.samples->at(component, x * 4 + k % 4, y * 4 + k / 4) = samples[k];
}

}  // namespace texcast::compact::reference
