#include "ref/bc6h.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "base/ensure.h"
#include "bc6h_block.h"
#include "ref/reciprocal.h"

namespace texcast::ref {
namespace {

using HalfColor = std::array<float, 3>;
using SixteenFloats = std::array<float, 16>;
constexpr int kLargestHalf = TEXCAST_BC6H_LARGEST;
constexpr float kNoLength = 1e-9f;
// Variance below which there is no direction: that of whole numbers is greater, or it is rounding.
constexpr float kFlatSpread = 1e-3f;

// In the order in which kernels add lanes.
float sum_in_order(const SixteenFloats& v) {
  std::array<float, 8> a{};
  for (size_t i = 0; i < 8; ++i) a[i] = v[i] + v[i + 8];
  std::array<float, 4> b{};
  for (size_t i = 0; i < 4; ++i) b[i] = a[i] + a[i + 4];
  return (b[0] + b[2]) + (b[1] + b[3]);
}

struct HalfSpread {
  float rr = 0, rg = 0, rb = 0, gg = 0, gb = 0, bb = 0;
};

HalfSpread squared_spread(const HalfSpread& m) {
  return {.rr = (m.rr * m.rr + m.rg * m.rg) + m.rb * m.rb,
          .rg = (m.rr * m.rg + m.rg * m.gg) + m.rb * m.gb,
          .rb = (m.rr * m.rb + m.rg * m.gb) + m.rb * m.bb,
          .gg = (m.rg * m.rg + m.gg * m.gg) + m.gb * m.gb,
          .gb = (m.rg * m.rb + m.gg * m.gb) + m.gb * m.bb,
          .bb = (m.rb * m.rb + m.gb * m.gb) + m.bb * m.bb};
}

float dot_of(const HalfColor& a, const HalfColor& b) { return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2]; }

HalfColor largest_column(const HalfSpread& m) {
  if (m.rr >= m.gg && m.rr >= m.bb) return {m.rr, m.rg, m.rb};
  if (m.gg >= m.bb) return {m.rg, m.gg, m.gb};
  return {m.rb, m.gb, m.bb};
}

// The direction of the largest variance, of any length: the largest column of the eighth power of the matrix. Zeros if
// there is none.
HalfColor main_direction(const HalfSpread& spread) {
  constexpr int kSquarings = 3;
  const float trace = (spread.rr + spread.gg) + spread.bb;
  if (trace < kFlatSpread) return {};
  const float scale = reciprocal(trace);
  HalfSpread m{spread.rr * scale, spread.rg * scale, spread.rb * scale,
               spread.gg * scale, spread.gb * scale, spread.bb * scale};
  for (int i = 0; i < kSquarings; ++i) m = squared_spread(m);
  return largest_column(m);
}

// The residual variance beside a line that is close enough to the main direction, which is the largest column itself.
float left_beside_line(const HalfSpread& s) {
  const HalfColor v = largest_column(s);
  const float length = dot_of(v, v);
  const float trace = (s.rr + s.gg) + s.bb;
  if (!(length > kNoLength)) return trace;
  const HalfColor moved = {(s.rr * v[0] + s.rg * v[1]) + s.rb * v[2], (s.rg * v[0] + s.gg * v[1]) + s.gb * v[2],
                           (s.rb * v[0] + s.gb * v[1]) + s.bb * v[2]};
  return trace - dot_of(v, moved) * reciprocal(length);
}

// The texels of a region.
struct HalfRegion {
  std::array<bool, 16> has{};
  int count = 0;
  size_t anchor = 0;
  std::array<int, 3> sum{};
};

struct HalfLine {
  HalfColor from{}, to{};
};

// Sums over a region with the weights of its texels' indices.
struct WeightSums {
  int w = 0, ww = 0;
  std::array<int, 3> wx{};
};

// A block without its indices: codes of the end points, two per region.
struct Codes {
  size_t mode = 0;
  int partition = 0;
  std::array<std::array<int, 3>, 4> ends{};
};

struct RatedCodes {
  float error = 0;
  std::array<int, 16> indices{};
  std::array<WeightSums, 2> sums{};
};

class Bc6hEncoder {
 public:
  Bc6hEncoder(const HalfBlock& texels, bool is_signed, Method method)
      : is_signed_(is_signed), method_(static_cast<int>(method)) {
    for (size_t i = 0; i < 16; ++i)
      for (size_t c = 0; c < 3; ++c) x_[i][c] = std::clamp(texels[i][c], is_signed ? -kLargestHalf : 0, kLargestHalf);
  }

  Bc6hBlock encode() {
    try_lines(-1);
    if (TEXCAST_BC6H_PARTITIONS(method_) > 0)
      for (const int partition : likely_partitions(TEXCAST_BC6H_PARTITIONS(method_))) try_lines(partition);
    for (int round = 0; round < TEXCAST_BC6H_WALK(method_); ++round)
      if (!walk()) break;
    return packed();
  }

 private:
  HalfRegion make_region(int partition, bool second) const {
    HalfRegion region;
    region.anchor = second ? second_anchor(partition) : 0;
    for (size_t i = 0; i < 16; ++i) {
      region.has[i] = partition < 0 || in_second_region(partition, i) == second;
      if (!region.has[i]) continue;
      ++region.count;
      for (size_t c = 0; c < 3; ++c) region.sum[c] += x_[i][c];
    }
    return region;
  }

  // A line through the region's mean along its main direction, as long as its texels extend along it, with the anchor's
  // texel nearer to `from`.
  HalfLine line_through(const HalfRegion& region) const {
    const float share = reciprocal(static_cast<float>(region.count));
    HalfColor mean{};
    for (size_t c = 0; c < 3; ++c) mean[c] = static_cast<float>(region.sum[c]) * share;
    std::array<HalfColor, 16> d{};
    for (size_t i = 0; i < 16; ++i)
      for (size_t c = 0; c < 3; ++c) d[i][c] = region.has[i] ? static_cast<float>(x_[i][c]) - mean[c] : 0.0f;
    const auto sum_of = [&](size_t a, size_t b) {
      SixteenFloats products{};
      for (size_t i = 0; i < 16; ++i) products[i] = d[i][a] * d[i][b];
      return sum_in_order(products);
    };
    const HalfColor v =
        main_direction({sum_of(0, 0), sum_of(0, 1), sum_of(0, 2), sum_of(1, 1), sum_of(1, 2), sum_of(2, 2)});
    const float length = dot_of(v, v);
    if (!(length > 0)) return held({mean, mean});
    float low = 3e38f, high = -3e38f;
    for (size_t i = 0; i < 16; ++i) {
      if (!region.has[i]) continue;
      low = std::min(low, dot_of(d[i], v));
      high = std::max(high, dot_of(d[i], v));
    }
    const float anchor = dot_of(d[region.anchor], v), unit = reciprocal(length);
    const bool backwards = anchor - low > high - anchor;
    const float first = (backwards ? high : low) * unit, last = (backwards ? low : high) * unit;
    HalfLine line;
    for (size_t c = 0; c < 3; ++c) {
      line.from[c] = mean[c] + v[c] * first;
      line.to[c] = mean[c] + v[c] * last;
    }
    return held(line);
  }

  HalfLine held(HalfLine line) const {
    const float least = is_signed_ ? -static_cast<float>(kLargestHalf) : 0.0f;
    for (HalfColor* end : {&line.from, &line.to})
      for (float& value : *end) value = std::clamp(value, least, static_cast<float>(kLargestHalf));
    return line;
  }

  // Least squares for the texels' present weights; unchanged if these are all the same.
  HalfLine refitted(const HalfLine& line, const HalfRegion& region, const WeightSums& sums) const {
    const int determinant = region.count * sums.ww - sums.w * sums.w;
    if (determinant == 0) return line;
    const float inverse = reciprocal(static_cast<float>(determinant));
    const float share = reciprocal(static_cast<float>(region.count));
    HalfLine fitted;
    for (size_t c = 0; c < 3; ++c) {
      const float slope = static_cast<float>(region.count * sums.wx[c] - sums.w * region.sum[c]) * inverse;
      fitted.from[c] = (static_cast<float>(region.sum[c]) - slope * static_cast<float>(sums.w)) * share;
      fitted.to[c] = fitted.from[c] + slope * 64.0f;
    }
    return held(fitted);
  }

  // The nearest code, except at the upper end, where few displays show the light itself.
  int quantized(float value, int precision) const {
    const float size = value < 0 ? -value : value;
    const int number = static_cast<int>((size + 0.5f) * (is_signed_ ? 1.032258065f : 2.064516129f));  // 32/31, 64/31
    const int shift = 16 - precision;
    int code = number >> shift;
    // 0 represents 0, the next code one and a half steps.
    if (code == 0 && 4 * number >= 3 << shift) code = 1;
    return value < 0 ? -code : code;
  }

  bool fits(const Codes& codes) const {
    const Bc6hMode& mode = bc6h_mode(codes.mode);
    if (!mode.has_differences()) return true;
    for (size_t e = 1; e < 2 * static_cast<size_t>(mode.regions); ++e)
      for (size_t c = 0; c < 3; ++c) {
        const int difference = codes.ends[e][c] - codes.ends[0][c], half = 1 << (mode.to_base[c] - 1);
        if (difference < -half || difference >= half) return false;
      }
    return true;
  }

  // In the finest mode that can store them.
  Codes coded(const std::array<HalfLine, 2>& lines, int partition) const {
    static constexpr std::array kOfTwo = {TEXCAST_BC6H_FINEST_OF_TWO};
    static constexpr std::array kOfOne = {TEXCAST_BC6H_FINEST_OF_ONE};
    Codes codes{.mode = 0, .partition = std::max(partition, 0)};
    for (const int mode : partition < 0 ? std::span<const int>(kOfOne) : std::span<const int>(kOfTwo)) {
      codes.mode = static_cast<size_t>(mode);
      const int precision = bc6h_mode(codes.mode).precision;
      for (size_t e = 0; e < (partition < 0 ? 2 : 4); ++e)
        for (size_t c = 0; c < 3; ++c)
          codes.ends[e][c] = quantized(e % 2 == 0 ? lines[e / 2].from[c] : lines[e / 2].to[c], precision);
      if (fits(codes)) return codes;
    }
    ENSURE(!"the last mode can store all end points");
    return codes;
  }

  // Each texel's index is the nearer of the two around its place on the line, or the first if they are equally near.
  RatedCodes rate(const Codes& codes) const {
    const Bc6hMode& mode = bc6h_mode(codes.mode);
    const int steps = mode.steps();
    std::array<std::array<int, 3>, 4> ends{};
    std::array<HalfColor, 2> from{}, across{};
    std::array<float, 2> scale{};
    for (size_t r = 0; r < static_cast<size_t>(mode.regions); ++r) {
      for (size_t c = 0; c < 3; ++c) {
        ends[2 * r][c] = bc6h_unquantize(codes.ends[2 * r][c], mode.precision, is_signed_);
        ends[2 * r + 1][c] = bc6h_unquantize(codes.ends[2 * r + 1][c], mode.precision, is_signed_);
        const int first = bc6h_interpolate(ends[2 * r][c], ends[2 * r + 1][c], 0, steps, is_signed_);
        const int last = bc6h_interpolate(ends[2 * r][c], ends[2 * r + 1][c], steps, steps, is_signed_);
        from[r][c] = static_cast<float>(first);
        across[r][c] = static_cast<float>(last - first);
      }
      const float length = dot_of(across[r], across[r]);
      scale[r] = length > 0 ? static_cast<float>(steps) * reciprocal(length) : 0.0f;
    }
    RatedCodes rated;
    SixteenFloats errors{};
    for (size_t i = 0; i < 16; ++i) {
      const size_t r = mode.regions == 2 && in_second_region(codes.partition, i) ? 1 : 0;
      const bool is_anchor = i == 0 || (r == 1 && i == second_anchor(codes.partition));
      HalfColor away{};
      for (size_t c = 0; c < 3; ++c) away[c] = static_cast<float>(x_[i][c]) - from[r][c];
      const float place = dot_of(away, across[r]) * scale[r];
      const auto most = static_cast<float>(is_anchor ? steps / 2 - 1 : steps - 1);
      const int index = static_cast<int>(std::clamp(place, 0.0f, most));
      const auto error_of = [&](int n) {
        HalfColor off{};
        for (size_t c = 0; c < 3; ++c)
          off[c] =
              static_cast<float>(bc6h_interpolate(ends[2 * r][c], ends[2 * r + 1][c], n, steps, is_signed_) - x_[i][c]);
        return dot_of(off, off);
      };
      const float one = error_of(index), other = error_of(index + 1);
      rated.indices[i] = other < one ? index + 1 : index;
      errors[i] = std::min(one, other);
      const int w = bc6h_weight(rated.indices[i], steps);
      WeightSums& sums = rated.sums[r];
      sums.w += w;
      sums.ww += w * w;
      for (size_t c = 0; c < 3; ++c) sums.wx[c] += w * x_[i][c];
    }
    rated.error = sum_in_order(errors);
    return rated;
  }

  bool keep_if_better(const Codes& codes, const RatedCodes& rated) {
    if (has_best_ && !(rated.error < best_rated_.error)) return false;
    has_best_ = true;
    best_ = codes;
    best_rated_ = rated;
    return true;
  }

  // All texels are in one region if `partition` is negative.
  void try_lines(int partition) {
    const size_t count = partition < 0 ? 1 : 2;
    std::array<HalfRegion, 2> regions{};
    std::array<HalfLine, 2> lines{};
    for (size_t r = 0; r < count; ++r) {
      regions[r] = make_region(partition, r == 1);
      lines[r] = line_through(regions[r]);
    }
    for (int fit = 0;; ++fit) {
      const Codes codes = coded(lines, partition);
      const RatedCodes rated = rate(codes);
      keep_if_better(codes, rated);
      if (fit == TEXCAST_BC6H_FITS(method_)) return;
      for (size_t r = 0; r < count; ++r) lines[r] = refitted(lines[r], regions[r], rated.sums[r]);
    }
  }

  // The partitions whose two regions have the least residual variance beside their lines; among equals the lower
  // numbers.
  std::vector<int> likely_partitions(int count) const {
    std::array<int, 3> sum{};
    for (const auto& texel : x_)
      for (size_t c = 0; c < 3; ++c) sum[c] += texel[c];
    HalfColor mean{};
    for (size_t c = 0; c < 3; ++c) mean[c] = static_cast<float>(sum[c]) * 0.0625f;
    const auto spread_of = [&](const HalfRegion& region, HalfColor& total, HalfSpread& s) {
      for (size_t i = 0; i < 16; ++i) {
        if (!region.has[i]) continue;
        HalfColor d{};
        for (size_t c = 0; c < 3; ++c) {
          d[c] = static_cast<float>(x_[i][c]) - mean[c];
          total[c] += d[c];
        }
        s.rr += d[0] * d[0];
        s.rg += d[0] * d[1];
        s.rb += d[0] * d[2];
        s.gg += d[1] * d[1];
        s.gb += d[1] * d[2];
        s.bb += d[2] * d[2];
      }
    };
    const auto about_own_mean = [](const HalfColor& total, const HalfSpread& s, int texels) {
      const float share = reciprocal(static_cast<float>(texels));
      const auto less = [&](float value, size_t a, size_t b) { return value - (total[a] * total[b]) * share; };
      return HalfSpread{less(s.rr, 0, 0), less(s.rg, 0, 1), less(s.rb, 0, 2),
                        less(s.gg, 1, 1), less(s.gb, 1, 2), less(s.bb, 2, 2)};
    };
    HalfColor all_total{};
    HalfSpread all;
    spread_of(make_region(-1, false), all_total, all);
    std::array<std::pair<float, int>, 32> left{};
    for (int partition = 0; partition < 32; ++partition) {
      const HalfRegion second = make_region(partition, true);
      HalfColor total{};
      HalfSpread s;
      spread_of(second, total, s);
      HalfColor other_total{};
      for (size_t c = 0; c < 3; ++c) other_total[c] = all_total[c] - total[c];
      const HalfSpread other = {all.rr - s.rr, all.rg - s.rg, all.rb - s.rb,
                                all.gg - s.gg, all.gb - s.gb, all.bb - s.bb};
      left[static_cast<size_t>(partition)] = {left_beside_line(about_own_mean(other_total, other, 16 - second.count)) +
                                                  left_beside_line(about_own_mean(total, s, second.count)),
                                              partition};
    }
    std::ranges::sort(left);
    std::vector<int> likely;
    for (const auto& [error, partition] : std::span(left).first(static_cast<size_t>(count)))
      likely.push_back(partition);
    return likely;
  }

  // Tries each number of the best block a step down and up, and takes it if that is better. False if nothing improved.
  bool walk() {
    bool is_better = false;
    const Bc6hMode& mode = bc6h_mode(best_.mode);
    const int most = (1 << (is_signed_ ? mode.precision - 1 : mode.precision)) - 1;
    for (size_t e = 0; e < 2 * static_cast<size_t>(mode.regions); ++e)
      for (size_t c = 0; c < 3; ++c)
        for (const int step : {-1, 1}) {
          Codes codes = best_;
          int& code = codes.ends[e][c];
          code += step;
          if (code < (is_signed_ ? -most : 0) || code > most || !fits(codes)) continue;
          is_better |= keep_if_better(codes, rate(codes));
        }
    return is_better;
  }

  Bc6hBlock packed() const {
    Bc6hBlock block{};
    size_t at = 0;
    const auto put = [&](int value, int bits) {
      for (int i = 0; i < bits; ++i, ++at) block[at / 8] |= static_cast<uint8_t>((value >> i & 1) << (at % 8));
    };
    const Bc6hMode& mode = bc6h_mode(best_.mode);
    put(mode.bits, mode.bit_count);
    for (size_t i = 0; bc6h_run(best_.mode, i).bits > 0; ++i) {
      const Bc6hRun run = bc6h_run(best_.mode, i);
      const auto e = static_cast<size_t>(run.number / 3), c = static_cast<size_t>(run.number % 3);
      const int base = e > 0 && mode.has_differences() ? best_.ends[0][c] : 0;
      put((best_.ends[e][c] - base) >> run.first, run.bits);
    }
    if (mode.regions == 2) put(best_.partition, 5);
    for (size_t i = 0; i < 16; ++i) {
      const bool is_anchor = i == 0 || (mode.regions == 2 && i == second_anchor(best_.partition));
      put(best_rated_.indices[i], (mode.regions == 1 ? 4 : 3) - (is_anchor ? 1 : 0));
    }
    ENSURE(at == 128);
    return block;
  }

  HalfBlock x_{};
  bool is_signed_;
  int method_;
  bool has_best_ = false;
  Codes best_;
  RatedCodes best_rated_;
};

}  // namespace

Bc6hBlock encode_bc6h(const HalfBlock& texels, bool is_signed, Method method) {
  return Bc6hEncoder(texels, is_signed, method).encode();
}

}  // namespace texcast::ref
