#include "oracle_transform.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <utility>

#include "oracle_sub_block.h"

namespace oracle {
namespace {

using std::vector;

// "The table sets of transform slices" in docs/compact.md.
constexpr int kModeAt = 40, kCodedLumaAt = 58, kCodedChromaAt = 64, kLastAt = 76, kLastMagnitudeAt = 78,
              kMagnitudeAt = 84, kEscapeAt = 126;
constexpr int kSkip = 0, kInterCoded = 2, kIntraDc = 3, kIntraHorizontal = 4, kIntraVertical = 5, kIntraPlanar = 6;
constexpr Shape kChannel{true, false};

// [row][column]
using Square = std::array<std::array<int, 8>, 8>;

struct Macroblock {
  int mode = 0;
  std::array<int, 2> vector{};  // in quarter pixels
  std::array<int, 3> coded{};
  bool is_intra() const { return mode >= kIntraDc; }
  int mode_class() const { return mode == kSkip ? 0 : is_intra() ? 2 : 1; }
};

// Sub-blocks of a macroblock in one component.
struct Place {
  int x, y, width, height;
  bool has(int i) const { return i % 2 * 2 < width && i / 2 * 2 < height; }
};

int median(int a, int b, int c) {
  std::array<int, 3> all{a, b, c};
  std::sort(all.begin(), all.end());
  return all[1];
}
int limited16(int64_t value) { return static_cast<int>(std::clamp<int64_t>(value, -32768, 32767)); }

// A coordinate in eighths of a texel, as a whole number and a fraction.
std::pair<int, int> in_eighths(int quarter_pixels, int pixels_a_texel) {
  const int eighths = pixels_a_texel == 2 ? quarter_pixels : 2 * quarter_pixels;
  const int fraction = (eighths % 8 + 8) % 8;
  return {(eighths - fraction) / 8, fraction};
}

// The texels around a transform block, from those two before the first to those four after the last one.
using Window = std::array<std::array<int, 14>, 14>;

// The prediction of a texel that is at (column, row) in the window, in a subsampled component.
int eighth_texel(const Window& window, size_t column, size_t row, int fraction_x, int fraction_y) {
  static const int filter[8][4] = {{0, 64, 0, 0},    {-2, 58, 10, -2}, {-4, 54, 16, -2}, {-6, 46, 28, -4},
                                   {-4, 36, 36, -4}, {-4, 28, 46, -6}, {-2, 16, 54, -4}, {-2, 10, 58, -2}};
  int sum = 0;
  for (size_t j = 0; j < 4; ++j)
    for (size_t i = 0; i < 4; ++i)
      sum += filter[fraction_y][j] * filter[fraction_x][i] * window[row + j - 1][column + i - 1];
  return std::clamp((sum + 2048) >> 12, 0, 255);
}
// S( ), in halves of a texel within the window.
int half_texel(const Window& window, size_t x, size_t y) {
  static const int half[2][6] = {{0, 0, 32, 0, 0, 0}, {1, -4, 19, 19, -4, 1}};
  int sum = 0;
  for (size_t j = 0; j < 6; ++j)
    for (size_t i = 0; i < 6; ++i) sum += half[y % 2][j] * half[x % 2][i] * window[y / 2 + j - 2][x / 2 + i - 2];
  return std::clamp((sum + 512) >> 10, 0, 255);
}
// As eighth_texel(), in the other components. The window begins at a whole texel, so that x + y is even or odd as in
// the plane.
int quarter_texel(const Window& window, size_t column, size_t row, int fraction_x, int fraction_y) {
  const size_t x = 2 * column + static_cast<size_t>(fraction_x >> 2),
               y = 2 * row + static_cast<size_t>(fraction_y >> 2);
  const bool between_x = fraction_x % 4 == 2, between_y = fraction_y % 4 == 2;
  const auto mean = [&](size_t x0, size_t y0, size_t x1, size_t y1) {
    return (half_texel(window, x0, y0) + half_texel(window, x1, y1) + 1) >> 1;
  };
  if (!between_x && !between_y) return half_texel(window, x, y);
  if (!between_y) return mean(x, y, x + 1, y);
  if (!between_x) return mean(x, y, x, y + 1);
  return (x + y) % 2 != 0 ? mean(x, y, x + 1, y + 1) : mean(x + 1, y, x, y + 1);
}

Square residual_of(const Square& levels, int quantiser) {
  static const int scale[] = {40, 45, 51, 57, 64, 72};
  static const int matrix[8][8] = {{64, 64, 64, 64, 64, 64, 64, 64},     {89, 75, 50, 18, -18, -50, -75, -89},
                                   {83, 36, -36, -83, -83, -36, 36, 83}, {75, -18, -89, -50, 50, 89, 18, -75},
                                   {64, -64, -64, 64, 64, -64, -64, 64}, {50, -89, 18, 75, -75, -18, 89, -50},
                                   {36, -83, 83, -36, -36, 83, -83, 36}, {18, -50, 75, -89, 89, -75, 50, -18}};
  const int64_t step = int64_t{scale[quantiser % 6]} << quantiser / 6;
  Square coefficients{}, half_done{}, residual{};
  for (int row = 0; row < 8; ++row)
    for (int column = 0; column < 8; ++column)
      coefficients[row][column] = limited16((levels[row][column] * step + 2) >> 2);
  for (int y = 0; y < 8; ++y)
    for (int x = 0; x < 8; ++x) {
      int64_t sum = 0;
      for (int k = 0; k < 8; ++k) sum += matrix[k][y] * coefficients[k][x];
      half_done[y][x] = limited16((sum + 64) >> 7);
    }
  for (int y = 0; y < 8; ++y)
    for (int x = 0; x < 8; ++x) {
      int64_t sum = 0;
      for (int k = 0; k < 8; ++k) sum += matrix[k][x] * half_done[y][k];
      residual[y][x] = limited16((sum + 2048) >> 12);
    }
  return residual;
}

class TileReader {
 public:
  TileReader(const TransformInput& input, Symbols& symbols, vector<std::byte>& texture, Samples& samples,
             std::set<unsigned>& referenced, Decoder::Seen& seen)
      : input_(input), symbols_(symbols), texture_(texture), samples_(samples), referenced_(referenced), seen_(seen) {}

  void read() {
    const auto& luma = input_.rects[0];
    columns_ = (luma[1] - luma[0] + 3) / 4;
    const int rows = (luma[3] - luma[2] + 3) / 4;
    for (int my = 0; my < rows; ++my)
      for (int mx = 0; mx < columns_; ++mx) macroblock(mx, my);
  }

 private:
  bool intra_slice() const { return input_.reference == nullptr; }
  const Decoder::Component& component(int c) const { return *input_.components[static_cast<size_t>(c)]; }
  bool is_subsampled(int c) const { return component(c).across * component(c).down > 1; }
  const std::array<int, 4>& rect(int c) const { return input_.rects[static_cast<size_t>(c)]; }
  int set(int c) const {
    const int range = input_.quantiser <= 15 ? 0 : input_.quantiser <= 24 ? 1 : 2;
    const int tables = component(c).tables;
    return kTransformSets + 3 * range + (tables == kLuma ? 0 : tables == kChroma ? 1 : 2);
  }
  Place place(int c, int mx, int my) const {
    const int across = 4 / component(c).across, down = 4 / component(c).down;
    const int x = rect(c)[0] + mx * across, y = rect(c)[2] + my * down;
    return {x, y, std::clamp(rect(c)[1] - x, 0, across), std::clamp(rect(c)[3] - y, 0, down)};
  }
  // nullptr outside the tile or sub-slice.
  const Macroblock* at(int mx, int my) const {
    const auto found = done_.find({mx, my});
    return found == done_.end() ? nullptr : &found->second;
  }

  void macroblock(int mx, int my) {
    const Macroblock* const left = at(mx - 1, my);
    const Macroblock* const above = at(mx, my - 1);
    Macroblock now;
    const int classes = 3 * (left == nullptr ? 0 : left->mode_class()) + (above == nullptr ? 0 : above->mode_class());
    now.mode = symbols_.next(set(0), kModeAt + (intra_slice() ? 9 : 0) + classes, intra_slice() ? 0x78 : 0x7F);
    demand(now.mode <= 6, "there is no such macroblock mode");
    demand(!intra_slice() || now.is_intra(), "an inter mode in an intra slice");
    ++seen_.macroblock_modes[static_cast<size_t>(now.mode)];
    now.vector = predicted_vector(mx, my);
    if (now.mode == kInterCoded) {
      const auto more = symbols_.motion_vector(set(0), false);
      for (const size_t axis : {0, 1}) now.vector[axis] += more[axis];
    }
    if (now.mode != kSkip)
      for (int c = 0; c < 3; ++c) read_coded_blocks(c, mx, my, now);
    std::array<std::array<Square, 4>, 3> levels{};
    for (int c = 0; c < 3; ++c)
      for (int i = 0; i < 4; ++i)
        if (now.coded[static_cast<size_t>(c)] >> i & 1)
          levels[static_cast<size_t>(c)][static_cast<size_t>(i)] = coefficients(c, now);
    done_[{mx, my}] = now;
    for (int c = 0; c < 3; ++c) {
      if (!now.is_intra()) note_reads(c, place(c, mx, my), now);
      for (int i = 0; i < 4; ++i)
        if (place(c, mx, my).has(i))
          reconstruct(c, place(c, mx, my), i, now, levels[static_cast<size_t>(c)][static_cast<size_t>(i)]);
    }
  }

  std::array<int, 2> predicted_vector(int mx, int my) const {
    if (my == 0) return mx == 0 ? std::array<int, 2>{} : at(mx - 1, 0)->vector;
    if (mx == 0) return at(0, my - 1)->vector;
    const auto& left = at(mx - 1, my)->vector;
    const auto& above = at(mx, my - 1)->vector;
    const auto& third = at(mx + 1 < columns_ ? mx + 1 : mx - 1, my - 1)->vector;
    return {median(left[0], above[0], third[0]), median(left[1], above[1], third[1])};
  }

  void read_coded_blocks(int c, int mx, int my, Macroblock& now) {
    int mask = 0;
    for (int i = 0; i < 4; ++i)
      if (place(c, mx, my).has(i)) mask += 1 << i;
    if (mask == 0) return;
    int context = kCodedLumaAt + (now.is_intra() ? 3 : 0);
    if (c == 0) {
      for (const Macroblock* const neighbour : {at(mx - 1, my), at(mx, my - 1)})
        if (neighbour != nullptr && neighbour->coded[0] != 0) ++context;
    } else {
      context = kCodedChromaAt + (now.is_intra() ? 6 : 0) + (now.coded[0] != 0 ? 3 : 0);
      if (c == 2) context += now.coded[1] != 0 ? 2 : 1;
    }
    unsigned valid = 0;
    for (int coded = 0; coded < 16; ++coded)
      if ((coded | mask) == mask) valid |= 1u << coded;
    const int coded = symbols_.next(set(c), context, valid);
    demand((coded | mask) == mask, "a transform block outside the slice");
    now.coded[static_cast<size_t>(c)] = coded;
  }

  Square coefficients(int c, const Macroblock& now) {
    static const int scan[] = {0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18, 11, 4,  5,  12, 19, 26, 33, 40, 48,
                               41, 34, 27, 20, 13, 6,  7,  14, 21, 28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23,
                               30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63};
    static const int first[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 20, 24, 32, 48};
    static const int count[] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 2, 2, 2, 3, 4, 4};
    const int last_class = symbols_.next(set(c), kLastAt + (now.is_intra() ? 1 : 0));
    const int last = first[last_class] + symbols_.bits(set(c), count[last_class]);
    Square levels{};  // magnitudes, then with their signs
    vector<int*> not_zero;
    for (int n = last; n >= 0; --n) {
      const int row = scan[n] / 8, column = scan[n] % 8;
      int magnitude = symbols_.next(set(c), magnitude_context(levels, row, column, n == last));
      if (magnitude == 15) {
        const int size = symbols_.next(set(c), kEscapeAt, 0x7FFF);
        demand(size <= 14, "there is no such magnitude");
        magnitude = 14 + (1 << size) + symbols_.bits(set(c), size);
        ++seen_.escapes;
      }
      if (n == last) ++magnitude;
      levels[static_cast<size_t>(row)][static_cast<size_t>(column)] = std::min(magnitude, 32767);
      if (magnitude > 0) not_zero.push_back(&levels[static_cast<size_t>(row)][static_cast<size_t>(column)]);
    }
    for (size_t k = 0; k < not_zero.size(); k += 4) {
      const size_t group = std::min<size_t>(not_zero.size() - k, 4);
      const int signs = symbols_.bits(set(c), static_cast<int>(group));
      for (size_t j = 0; j < group; ++j)
        if (signs >> j & 1) *not_zero[k + j] = -*not_zero[k + j];
    }
    return levels;
  }
  static int magnitude_context(const Square& levels, int row, int column, bool is_last) {
    static const int zones[] = {0, 1, 2, 3, 3, 4, 4, 4, 5, 5, 5, 5, 5, 5, 5};
    static const int nears[] = {0, 1, 2, 3, 4, 4, 5, 5, 5, 6};
    const int zone = zones[row + column];
    if (is_last) return kLastMagnitudeAt + zone;
    int sum = 0;
    for (const auto& [down, right] : {std::pair(0, 1), {0, 2}, {1, 0}, {2, 0}, {1, 1}})
      if (row + down < 8 && column + right < 8)
        sum += std::min(levels[static_cast<size_t>(row + down)][static_cast<size_t>(column + right)], 15);
    return kMagnitudeAt + 7 * zone + nears[std::min(sum, 9)];
  }

  void note_reads(int c, const Place& place, const Macroblock& now) {
    if (place.width == 0 || place.height == 0) return;
    const auto [ix, fx] = in_eighths(now.vector[0], component(c).across);
    const auto [iy, fy] = in_eighths(now.vector[1], component(c).down);
    const int before = is_subsampled(c) ? 1 : 2, after = is_subsampled(c) ? 2 : 3;
    const auto blocks = [&](int from, int to, int fraction, int count) {
      if (fraction != 0) {
        from -= before;
        to += after;
      }
      return std::pair(std::clamp(from >> 2, 0, count - 1), std::clamp(to >> 2, 0, count - 1));
    };
    const auto across = blocks(4 * place.x + ix, 4 * (place.x + place.width) - 1 + ix, fx, component(c).blocks_x);
    const auto down = blocks(4 * place.y + iy, 4 * (place.y + place.height) - 1 + iy, fy, component(c).blocks_y);
    for (int y = down.first; y <= down.second; ++y)
      for (int x = across.first; x <= across.second; ++x)
        referenced_.insert(static_cast<unsigned>(y / (8 / component(c).down)) * input_.tiles_across +
                           static_cast<unsigned>(x / (16 / component(c).across)));
  }

  void reconstruct(int c, const Place& place, int i, const Macroblock& now, const Square& levels) {
    const int x0 = place.x + i % 2 * 2, y0 = place.y + i / 2 * 2;
    const int x1 = std::min(x0 + 2, place.x + place.width), y1 = std::min(y0 + 2, place.y + place.height);
    const bool is_coded = (now.coded[static_cast<size_t>(c)] >> i & 1) != 0;
    if (!is_coded && !now.is_intra() && copy(c, {x0, y0, x1 - x0, y1 - y0}, now)) return;
    const Square prediction = now.is_intra() ? intra(c, x0, y0, now.mode) : inter(c, x0, y0, now);
    const Square residual = is_coded ? residual_of(levels, input_.quantiser) : Square{};
    for (int y = y0; y < y1; ++y)
      for (int x = x0; x < x1; ++x) {
        std::array<int, 16> wanted{};
        for (int k = 0; k < 16; ++k) {
          const auto row = static_cast<size_t>((y - y0) * 4 + k / 4),
                     column = static_cast<size_t>((x - x0) * 4 + k % 4);
          const int value = std::clamp(prediction[row][column] + residual[row][column], 0, 255);
          wanted[static_cast<size_t>(k)] = value;
          samples_[static_cast<size_t>(c)].at(place_of(c, 4 * x + k % 4, 4 * y + k / 4)) = value;
        }
        put(c, x, y, fitted_block(wanted));
      }
  }
  void put(int c, int x, int y, uint64_t value) {
    const size_t at = component(c).offset + (static_cast<size_t>(y) * component(c).blocks_x + x) * component(c).stride;
    for (int byte = 0; byte < 8; ++byte)
      texture_.at(at + static_cast<size_t>(byte)) = static_cast<std::byte>(value >> 8 * byte & 0xFF);
  }

  bool copy(int c, const Place& blocks, const Macroblock& now) {
    const auto [ix, fx] = in_eighths(now.vector[0], component(c).across);
    const auto [iy, fy] = in_eighths(now.vector[1], component(c).down);
    if (fx != 0 || fy != 0 || ix % 4 != 0 || iy % 4 != 0) return false;
    for (const bool writes : {false, true})
      for (int y = blocks.y; y < blocks.y + blocks.height; ++y)
        for (int x = blocks.x; x < blocks.x + blocks.width; ++x) {
          const int from_x = x + ix / 4, from_y = y + iy / 4;
          if (from_x < 0 || from_y < 0 || from_x >= component(c).blocks_x || from_y >= component(c).blocks_y)
            return false;
          if (!writes) continue;
          put(c, x, y, Decoder::load(*input_.reference, component(c), from_x, from_y));
          for (int k = 0; k < 16; ++k)
            samples_[static_cast<size_t>(c)].at(place_of(c, 4 * x + k % 4, 4 * y + k / 4)) =
                sample(input_.reference_samples, c, 4 * from_x + k % 4, 4 * from_y + k / 4);
        }
    ++seen_.exact_copies;
    return true;
  }

  size_t place_of(int c, int column, int row) const {
    return static_cast<size_t>(row) * 4 * static_cast<size_t>(component(c).blocks_x) + static_cast<size_t>(column);
  }
  int sample(const Samples& samples, int c, int column, int row) const {
    return samples[static_cast<size_t>(c)].at(place_of(c, column, row));
  }

  Square inter(int c, int x0, int y0, const Macroblock& now) const {
    const auto [ix, fx] = in_eighths(now.vector[0], component(c).across);
    const auto [iy, fy] = in_eighths(now.vector[1], component(c).down);
    Window window{};
    for (int j = 0; j < 14; ++j)
      for (int i = 0; i < 14; ++i)
        window[static_cast<size_t>(j)][static_cast<size_t>(i)] =
            sample(input_.reference_samples, c, std::clamp(4 * x0 + ix + i - 2, 0, 4 * component(c).blocks_x - 1),
                   std::clamp(4 * y0 + iy + j - 2, 0, 4 * component(c).blocks_y - 1));
    Square prediction{};
    for (size_t y = 0; y < 8; ++y)
      for (size_t x = 0; x < 8; ++x)
        prediction[y][x] =
            is_subsampled(c) ? eighth_texel(window, x + 2, y + 2, fx, fy) : quarter_texel(window, x + 2, y + 2, fx, fy);
    return prediction;
  }

  Square intra(int c, int x0, int y0, int mode) const {
    const auto& [first_x, end_x, first_y, end_y] = rect(c);
    const bool has_left = x0 > first_x, has_above = y0 > first_y;
    std::array<int, 8> left{}, above{};
    int sum = 0;
    for (int k = 0; k < 8; ++k) {
      if (has_left)
        sum += left[static_cast<size_t>(k)] = sample(samples_, c, 4 * x0 - 1, std::min(4 * y0 + k, 4 * end_y - 1));
      if (has_above)
        sum += above[static_cast<size_t>(k)] = sample(samples_, c, std::min(4 * x0 + k, 4 * end_x - 1), 4 * y0 - 1);
    }
    const int mean = has_left && has_above ? (sum + 8) / 16 : has_left || has_above ? (sum + 4) / 8 : 128;
    Square prediction{};
    for (int y = 0; y < 8; ++y)
      for (int x = 0; x < 8; ++x) {
        const int beside = left[static_cast<size_t>(y)], over = above[static_cast<size_t>(x)];
        int value = mean;
        if (mode == kIntraHorizontal && has_left) value = beside;
        if (mode == kIntraVertical && has_above) value = over;
        if (mode == kIntraPlanar && has_left && has_above)
          value = ((7 - x) * beside + (x + 1) * above[7] + (7 - y) * over + (y + 1) * left[7] + 8) / 16;
        prediction[static_cast<size_t>(y)][static_cast<size_t>(x)] = value;
      }
    return prediction;
  }

  const TransformInput& input_;
  Symbols& symbols_;
  vector<std::byte>& texture_;
  Samples& samples_;
  std::set<unsigned>& referenced_;
  Decoder::Seen& seen_;
  int columns_ = 0;
  std::map<std::pair<int, int>, Macroblock> done_;  // by column and row
};

// A pair of end points for 16 texels, with the nearest values.
struct Candidate {
  int high = 0, low = 0;
  int64_t error = 0;
  std::array<int, 16> values{};  // counted from the lower end point
};
Candidate measured(int high, int low, const std::array<int, 16>& wanted) {
  Candidate candidate{.high = high, .low = low};
  for (size_t k = 0; k < 16; ++k) {
    for (int n = 0; n <= 6; ++n) candidate.values[k] += 14 * (wanted[k] - low) > (2 * n + 1) * (high - low) ? 1 : 0;
    const int error = low + (candidate.values[k] * (high - low) + 3) / 7 - wanted[k];
    candidate.error += error * error;
  }
  return candidate;
}

}  // namespace

int nearest_texel(uint64_t sub_block, int i) {
  const uint64_t ends = kChannel.ends(sub_block);
  const int steps = kChannel.steps(ends);
  const int level = kChannel.level_of(ends, static_cast<int>(kChannel.index_field(sub_block) >> 3 * i & 7));
  if (level > steps) return level == 7 ? 255 : 0;
  return (kChannel.end_point(ends, 0, 0) * (steps - level) + kChannel.end_point(ends, 1, 0) * level + steps / 2) /
         steps;
}

uint64_t fitted_block(const std::array<int, 16>& wanted) {
  const int most = *std::max_element(wanted.begin(), wanted.end());
  const int least = *std::min_element(wanted.begin(), wanted.end());
  if (most == least) return static_cast<uint64_t>(least) * 257;
  Candidate best = measured(most, least, wanted);
  const auto attempt = [&](int high, int low) {
    if (high <= low) return;
    const Candidate other = measured(high, low, wanted);
    if (other.error < best.error) best = other;
  };
  const int n = most - least;
  attempt(most - (n + 16) / 32, least + (n + 16) / 32);
  attempt(most - (n + 5) / 10, least + (n + 5) / 10);
  attempt(most - (n + 8) / 16, least);
  attempt(most, least + (n + 8) / 16);
  int64_t v = 0, vv = 0, w = 0, vw = 0;
  for (size_t k = 0; k < 16; ++k) {
    v += best.values[k];
    vv += best.values[k] * best.values[k];
    w += wanted[k];
    vw += best.values[k] * wanted[k];
  }
  const int64_t det = 16 * vv - v * v;
  const auto nearest = [&](int64_t z) {
    return z < 0 ? 0 : static_cast<int>(std::min<int64_t>(255, (2 * z + det) / (2 * det)));
  };
  const int64_t a = vv * w - v * vw, b = 16 * vw - v * w;
  if (det != 0) attempt(nearest(a + 7 * b), nearest(a));
  const Candidate around = best;
  attempt(std::min(around.high + 1, 255), around.low);
  attempt(around.high - 1, around.low);
  attempt(around.high, around.low + 1);
  attempt(around.high, std::max(around.low - 1, 0));
  Texels levels;
  for (const int value : best.values) levels.push_back(7 - value);
  return kChannel.sub_block(static_cast<uint64_t>(best.high | best.low << 8), levels);
}

void read_transform_tile(const TransformInput& input, Symbols& symbols, vector<std::byte>& texture, Samples& samples,
                         std::set<unsigned>& referenced, Decoder::Seen& seen) {
  TileReader(input, symbols, texture, samples, referenced, seen).read();
}

}  // namespace oracle
