#include <algorithm>
#include <bit>
#include <limits>
#include <vector>

#include "base/ensure.h"
#include "bc7_modes.h"
#include "kernels/effort.h"
#include "ref/bc7.h"
#include "ref/reciprocal.h"

namespace texcast::ref {
// Files of this room are compiled together, and other blocks have end points and fits too.
namespace bc7 {
namespace {

using Channels = std::array<int, 4>;
using Vector = std::array<float, 4>;
using Subsets = std::array<int, 16>;  // of which each texel is

constexpr std::array<size_t, 4> kChannels = {0, 1, 2, 3};
constexpr size_t kAlpha = 3;

// 16 texels that one set of indices is for: all of the block, or what of it is coded apart. Channels that are not coded
// are the same in all texels.
using Texels16 = std::array<Channels, 16>;

// How end points and indices are stored.
struct Precision {
  Channels bits;  // of an end point's channel with its p-bit; 0: not coded
  PBits p_bits;
  bool p_is_1;  // in opaque blocks: 127 and a p-bit of 1 are 255
  int index_bits;
};

struct Ends {
  Channels low{}, high{};  // in 8 bits
};

// The best end points so far, subset by subset, and their squared error.
struct Fitted {
  std::array<Ends, 3> ends{};
  std::array<int, 3> errors{std::numeric_limits<int>::max(), std::numeric_limits<int>::max(),
                            std::numeric_limits<int>::max()};
  int total(int subsets) const {
    int sum = 0;
    for (size_t s = 0; s < static_cast<size_t>(subsets); ++s) sum += errors[s];
    return sum;
  }
};

// The nearest whole number, halves to even. 0 <= value < 2^22.
int nearest(float value) { return static_cast<int>(std::bit_cast<uint32_t>(value + 8388608.0f) & 0x3FFFFF); }

float dot(const Vector& a, const Vector& b) { return ((a[0] * b[0] + a[1] * b[1]) + a[2] * b[2]) + a[3] * b[3]; }

// ---- where the texels of a subset lie

struct Moments {
  int count = 0;
  Channels sum{};
  std::array<Channels, 4> products{};

  Moments(const Texels16& texels, const Subsets& subsets, int subset) {
    for (size_t i = 0; i < 16; ++i) {
      if (subsets[i] != subset) continue;
      ++count;
      for (const size_t c : kChannels) {
        sum[c] += texels[i][c];
        for (const size_t d : kChannels) products[c][d] += texels[i][c] * texels[i][d];
      }
    }
  }
};

// The covariance with a trace of 1, and its principal axis by `steps` powers.
struct Axis {
  float trace = 0;  // count^2 times the variances' sum
  std::array<Vector, 4> matrix{};
  Vector direction{};

  Axis(const Moments& m, int steps) {
    std::array<Channels, 4> covariance{};
    for (const size_t c : kChannels)
      for (const size_t d : kChannels) covariance[c][d] = m.count * m.products[c][d] - m.sum[c] * m.sum[d];
    size_t widest = 0;
    for (const size_t c : kChannels) {
      trace += static_cast<float>(covariance[c][c]);
      if (covariance[c][c] > covariance[widest][widest]) widest = c;
    }
    const float scale = reciprocal(std::max(trace, 1.0f));
    for (const size_t c : kChannels)
      for (const size_t d : kChannels) matrix[c][d] = static_cast<float>(covariance[c][d]) * scale;
    direction = matrix[widest];
    for (int step = 0; step < steps; ++step) direction = times(direction);
  }
  Vector times(const Vector& v) const {
    return {dot(matrix[0], v), dot(matrix[1], v), dot(matrix[2], v), dot(matrix[3], v)};
  }
};

constexpr float kTiny = 1e-20f;
constexpr int kAxisSteps = 4, kEstimateSteps = 1;

// What a subset's texels are off their line, and what indices of so many bits leave along it.
float estimate(const Moments& m, int index_bits) {
  const Axis axis(m, kEstimateSteps);
  const Vector& v = axis.direction;
  const float along = dot(v, axis.times(v)) * reciprocal(std::max(dot(v, v), kTiny));
  const auto last = static_cast<float>((1 << index_bits) - 1);
  const float left = (1.0f - along) + along * reciprocal(last * last);
  return axis.trace * left * reciprocal(static_cast<float>(m.count));
}

Subsets subsets_of(int subsets, int partition) {
  Subsets of{};
  for (size_t i = 0; i < 16; ++i) of[i] = bc7_subset(subsets, partition, i);
  return of;
}

// The `count` partitions into two that are the most like the block cut across its principal axis at the mean.
std::vector<int> partitions_like_cut(const Texels16& texels, int count) {
  const Moments m(texels, {}, 0);
  const Axis axis(m, kAxisSteps);
  Vector mean{};
  for (const size_t c : kChannels) mean[c] = static_cast<float>(m.sum[c]) * reciprocal(16.0f);
  const float middle = dot(axis.direction, mean);
  uint32_t cut = 0;
  for (size_t i = 0; i < 16; ++i) {
    Vector texel{};
    for (const size_t c : kChannels) texel[c] = static_cast<float>(texels[i][c]);
    if (dot(axis.direction, texel) > middle) cut |= 1u << i;
  }
  std::vector<std::pair<int, int>> unlike;
  for (int partition = 0; partition < 64; ++partition) {
    const int texels_off = std::popcount(cut ^ kBc7PartitionsOf2[static_cast<size_t>(partition)]);
    unlike.emplace_back(std::min(texels_off, 16 - texels_off), partition);
  }
  std::ranges::sort(unlike);
  std::vector<int> partitions;
  for (int n = 0; n < count; ++n) partitions.push_back(unlike[static_cast<size_t>(n)].second);
  return partitions;
}

// A mode's `count` likeliest partitions, of those that are estimated.
std::vector<int> likely_partitions(const Texels16& texels, const Bc7Mode& mode, int count, int estimated) {
  std::vector<uint32_t> keys;
  std::vector<int> candidates(1u << mode.partition_bits);
  std::ranges::generate(candidates, [n = 0]() mutable { return n++; });
  if (mode.subsets == 2 && estimated < 64) candidates = partitions_like_cut(texels, estimated);
  for (const int partition : candidates) {
    const Subsets of = subsets_of(mode.subsets, partition);
    float sum = 0;
    for (int s = 0; s < mode.subsets; ++s) sum += estimate(Moments(texels, of, s), mode.index_bits);
    // Floats that are not negative are in order as integers; the lowest bits give way to the number.
    keys.push_back((std::bit_cast<uint32_t>(std::max(sum, 0.0f)) & ~63u) | static_cast<uint32_t>(partition));
  }
  std::ranges::sort(keys);
  std::vector<int> partitions;
  for (int n = 0; n < count; ++n) partitions.push_back(static_cast<int>(keys[static_cast<size_t>(n)] & 63));
  return partitions;
}

// ---- end points

// A value in 0..255 as the nearest code whose lowest bit is p; p < 0: any. `off`: by how much in codes, squared.
int to_code(float value, int bits, int p, float& off) {
  const int last = (1 << bits) - 1;
  const float at = value * (static_cast<float>(last) * (1.0f / 255.0f));
  int code = 0;
  if (p < 0)
    code = std::min(nearest(at), last);
  else
    code = 2 * std::min(nearest(std::max((at - static_cast<float>(p)) * 0.5f, 0.0f)), last / 2) + p;
  const float difference = at - static_cast<float>(code);
  off = difference * difference;
  return code;
}

// The channels of an end point with that p-bit. `constant`: those that are not coded.
float round_end(const Vector& wish, const Precision& precision, int p, const Channels& constant, Channels& end) {
  float sum = 0;
  for (const size_t c : kChannels) {
    const int bits = precision.bits[c];
    end[c] = constant[c];
    if (bits == 0) continue;
    float off = 0;
    end[c] = bc7_expand(to_code(wish[c], bits, p, off), bits);
    sum += off;
  }
  return sum;
}

// With the p-bits that are the nearest.
Ends round_ends(const Vector& low, const Vector& high, const Precision& precision, const Channels& constant) {
  Ends ends;
  if (precision.p_bits == PBits::none || precision.p_is_1) {
    const int p = precision.p_is_1 ? 1 : -1;
    round_end(low, precision, p, constant, ends.low);
    round_end(high, precision, p, constant, ends.high);
    return ends;
  }
  Ends odd;
  const float low_even = round_end(low, precision, 0, constant, ends.low);
  const float low_odd = round_end(low, precision, 1, constant, odd.low);
  const float high_even = round_end(high, precision, 0, constant, ends.high);
  const float high_odd = round_end(high, precision, 1, constant, odd.high);
  if (precision.p_bits == PBits::per_subset) return low_odd + high_odd < low_even + high_even ? odd : ends;
  if (low_odd < low_even) ends.low = odd.low;
  if (high_odd < high_even) ends.high = odd.high;
  return ends;
}

// ---- indices

// The place between the end points that is nearest along their line.
int index_of(const Channels& texel, const Ends& ends, int index_bits) {
  int length = 0, along = 0;
  for (const size_t c : kChannels) {
    const int d = ends.high[c] - ends.low[c];
    length += d * d;
    along += d * (texel[c] - ends.low[c]);
  }
  const auto last = static_cast<float>((1 << index_bits) - 1);
  const float scale = last * reciprocal(static_cast<float>(std::max(length, 1)));
  return nearest(std::min(std::max(static_cast<float>(along) * scale, 0.0f), last));
}

int error_of(const Channels& texel, const Ends& ends, int weight) {
  int sum = 0;
  for (const size_t c : kChannels) {
    const int off = texel[c] - bc7_blend(ends.low[c], ends.high[c], weight);
    sum += off * off;
  }
  return sum;
}

// One set of indices: what is fitted, and how it is stored.
struct Plane {
  const Texels16& texels;
  Subsets subsets;
  int subset_count;
  Precision precision;

  size_t count() const { return static_cast<size_t>(subset_count); }

  int error(size_t subset, const Ends& ends) const {
    int sum = 0;
    for (size_t i = 0; i < 16; ++i) {
      if (subsets[i] != static_cast<int>(subset)) continue;
      const int index = index_of(texels[i], ends, precision.index_bits);
      sum += error_of(texels[i], ends, bc7_weight(index, precision.index_bits));
    }
    return sum;
  }

  bool keep_better(size_t subset, const Ends& ends, Fitted& best) const {
    const int off = error(subset, ends);
    if (off >= best.errors[subset]) return false;
    best.errors[subset] = off;
    best.ends[subset] = ends;
    return true;
  }
};

float held(float value) { return std::min(std::max(value, 0.0f), 255.0f); }

// The outermost texels along the principal axis.
Ends ends_on_axis(const Plane& plane, size_t subset, const Moments& m) {
  const Axis axis(m, kAxisSteps);
  const Vector& v = axis.direction;
  const float share = reciprocal(static_cast<float>(m.count));
  Vector mean{};
  for (const size_t c : kChannels) mean[c] = static_cast<float>(m.sum[c]) * share;
  float least = 3e38f, most = -3e38f;
  for (size_t i = 0; i < 16; ++i) {
    if (plane.subsets[i] != static_cast<int>(subset)) continue;
    Vector texel{};
    for (const size_t c : kChannels) texel[c] = static_cast<float>(plane.texels[i][c]);
    const float along = dot(v, texel);
    least = std::min(least, along);
    most = std::max(most, along);
  }
  const float middle = dot(v, mean), scale = reciprocal(std::max(dot(v, v), kTiny));
  Vector low{}, high{};
  for (const size_t c : kChannels) {
    low[c] = held(mean[c] + v[c] * ((least - middle) * scale));
    high[c] = held(mean[c] + v[c] * ((most - middle) * scale));
  }
  return round_ends(low, high, plane.precision, plane.texels[0]);
}

// Least squares for the indices that `ends` give, taken as evenly spread; false where these are all the same.
bool fit_ends(const Plane& plane, size_t subset, const Moments& m, Ends& ends) {
  const int bits = plane.precision.index_bits;
  int k = 0, kk = 0;
  Channels kx{};
  for (size_t i = 0; i < 16; ++i) {
    if (plane.subsets[i] != static_cast<int>(subset)) continue;
    const int index = index_of(plane.texels[i], ends, bits);
    k += index;
    kk += index * index;
    for (const size_t c : kChannels) kx[c] += index * plane.texels[i][c];
  }
  const int determinant = m.count * kk - k * k;
  if (determinant == 0) return false;
  const float inverse = reciprocal(static_cast<float>(determinant));
  const auto last = static_cast<float>((1 << bits) - 1);
  Vector low{}, high{};
  for (const size_t c : kChannels) {
    const float first = static_cast<float>(kk * m.sum[c] - k * kx[c]) * inverse;
    const float rise = static_cast<float>(m.count * kx[c] - k * m.sum[c]) * inverse;
    low[c] = held(first);
    high[c] = held(first + rise * last);
  }
  ends = round_ends(low, high, plane.precision, plane.texels[0]);
  return true;
}

Fitted fit(const Plane& plane, int fits) {
  Fitted best;
  for (size_t s = 0; s < plane.count(); ++s) {
    const Moments m(plane.texels, plane.subsets, static_cast<int>(s));
    Ends ends = ends_on_axis(plane, s, m);
    plane.keep_better(s, ends, best);
    for (int n = 0; n < fits && fit_ends(plane, s, m, ends); ++n) plane.keep_better(s, ends, best);
  }
  return best;
}

// A channel of an end point, `step` codes away, with the same p-bit where it has one; false past the last code.
bool step_channel(int& value, int bits, bool has_p, int step) {
  const int code = (value >> (8 - bits)) + (has_p ? 2 * step : step);
  if (code < 0 || code >= 1 << bits) return false;
  value = bc7_expand(code, bits);
  return true;
}

void toggle_p(Channels& end, const Precision& precision) {
  for (const size_t c : kChannels)
    if (const int bits = precision.bits[c]; bits > 0) end[c] = bc7_expand((end[c] >> (8 - bits)) ^ 1, bits);
}

// To the neighbours of the best end points, channel by channel, as long as they are better.
void walk(const Plane& plane, int rounds, Fitted& best) {
  const Precision& precision = plane.precision;
  const bool has_p = precision.p_bits != PBits::none;
  for (int round = 0; round < rounds; ++round)
    for (size_t s = 0; s < plane.count(); ++s) {
      for (const auto end : {&Ends::low, &Ends::high})
        for (const size_t c : kChannels)
          for (const int step : {-1, 1}) {
            Ends ends = best.ends[s];
            if (precision.bits[c] > 0 && step_channel((ends.*end)[c], precision.bits[c], has_p, step))
              plane.keep_better(s, ends, best);
          }
      if (!has_p || precision.p_is_1) continue;
      const bool both = precision.p_bits == PBits::per_subset;
      for (const auto end : {&Ends::low, &Ends::high}) {
        Ends ends = best.ends[s];
        toggle_p(ends.*end, precision);
        if (both) toggle_p(ends.*(end == &Ends::low ? &Ends::high : &Ends::low), precision);
        plane.keep_better(s, ends, best);
        if (both) break;
      }
    }
}

// ---- blocks

struct Choice {
  int mode = 0, partition = 0, rotation = 0, selector = 0;
  Fitted color, apart;  // apart: the channel with indices of its own
  int error = std::numeric_limits<int>::max();
};

class BlockEncoder {
 public:
  BlockEncoder(const Texels16& texels, Method method) : texels_(texels), method_(static_cast<int>(method)) {
    is_opaque_ = std::ranges::all_of(texels, [](const Channels& t) { return t[kAlpha] == 255; });
  }

  Bc7Block encode() {
    try_joint(6, 0);
    if (is_opaque_) {
      try_partitions(1, TEXCAST_BC7_MODE_1(method_));
      try_partitions(3, TEXCAST_BC7_MODE_3(method_));
      try_partitions(0, TEXCAST_BC7_MODE_0(method_));
      try_partitions(2, TEXCAST_BC7_MODE_2(method_));
      try_rotations(TEXCAST_BC7_OPAQUE_ROTATIONS(method_));
    } else {
      try_partitions(7, TEXCAST_BC7_MODE_7(method_));
      try_rotations(TEXCAST_BC7_ALPHA_ROTATIONS(method_));
    }
    improve();
    return pack();
  }

 private:
  const Bc7Mode& mode(int number) const { return kBc7Modes[static_cast<size_t>(number)]; }
  Fitted search(const Plane& plane) const {
    Fitted best = fit(plane, TEXCAST_BC7_FITS(method_));
    walk(plane, TEXCAST_BC7_WALKS(method_), best);
    return best;
  }

  Plane joint_plane(const Choice& choice) const {
    const Bc7Mode& m = mode(choice.mode);
    const int p = m.p_bits == PBits::none ? 0 : 1;
    const int color = m.color_bits + p, alpha = m.alpha_bits > 0 && !is_opaque_ ? m.alpha_bits + p : 0;
    const bool p_is_1 = m.alpha_bits > 0 && is_opaque_;
    return {texels_,
            subsets_of(m.subsets, choice.partition),
            m.subsets,
            {{color, color, color, alpha}, m.p_bits, p_is_1, m.index_bits}};
  }

  // Modes 4 and 5: three channels with one set of indices, and alpha, or what it is rotated with, with the other.
  Plane rotated_plane(const Choice& choice, const Texels16& texels, bool apart) const {
    const Bc7Mode& m = mode(choice.mode);
    const bool second = apart != (choice.selector == 1);
    const Channels bits =
        apart ? Channels{m.alpha_bits, 0, 0, 0} : Channels{m.color_bits, m.color_bits, m.color_bits, 0};
    return {texels, {}, 1, {bits, PBits::none, false, second ? m.second_index_bits : m.index_bits}};
  }
  Texels16 rotated_colors(int rotation) const {
    Texels16 rotated = texels_;
    for (Channels& texel : rotated) {
      if (rotation > 0) texel[static_cast<size_t>(rotation - 1)] = texel[kAlpha];
      texel[kAlpha] = 0;
    }
    return rotated;
  }
  Texels16 channel_apart(int rotation) const {
    Texels16 alone{};
    for (size_t i = 0; i < 16; ++i) alone[i][0] = texels_[i][rotation > 0 ? static_cast<size_t>(rotation - 1) : kAlpha];
    return alone;
  }

  void keep_better(const Choice& choice) {
    if (choice.error < best_.error) best_ = choice;
  }

  void try_joint(int number, int partition) {
    Choice choice{.mode = number, .partition = partition, .color = {}, .apart = {}};
    const Plane plane = joint_plane(choice);
    choice.color = search(plane);
    choice.error = choice.color.total(plane.subset_count);
    keep_better(choice);
  }

  void try_partitions(int number, int count) {
    if (count == 0) return;
    for (const int partition : likely_partitions(texels_, mode(number), count, TEXCAST_BC7_ESTIMATES(method_)))
      try_joint(number, partition);
  }

  void try_rotated(int number, int rotation, int selector) {
    Choice choice{.mode = number, .rotation = rotation, .selector = selector, .color = {}, .apart = {}};
    const Texels16 colors = rotated_colors(rotation), alone = channel_apart(rotation);
    choice.color = search(rotated_plane(choice, colors, false));
    choice.apart = search(rotated_plane(choice, alone, true));
    choice.error = choice.color.total(1) + choice.apart.total(1);
    keep_better(choice);
  }

  void try_rotations(int count) {
    for (int rotation = 0; rotation < count; ++rotation) {
      try_rotated(5, rotation, 0);
      try_rotated(4, rotation, 0);
      try_rotated(4, rotation, 1);
    }
  }

  void improve() {
    const int rounds = TEXCAST_BC7_LAST_WALKS(method_);
    if (mode(best_.mode).rotation_bits == 0) return walk(joint_plane(best_), rounds, best_.color);
    const Texels16 colors = rotated_colors(best_.rotation), alone = channel_apart(best_.rotation);
    walk(rotated_plane(best_, colors, false), rounds, best_.color);
    walk(rotated_plane(best_, alone, true), rounds, best_.apart);
  }

  Bc7Block pack() const;

  const Texels16& texels_;
  int method_;
  bool is_opaque_ = false;
  Choice best_;
};

class Bc7Writer {
 public:
  void put(int value, int count) {
    for (int i = 0; i < count; ++i, ++at_)
      block_[at_ / 8] = static_cast<uint8_t>(block_[at_ / 8] | (value >> i & 1) << (at_ % 8));
  }
  const Bc7Block& block() const {
    ENSURE(at_ == 128);
    return block_;
  }

 private:
  Bc7Block block_{};
  size_t at_ = 0;
};

// The indices of a plane. Where the anchor's is not below half, the subset's end points change places.
std::array<int, 16> anchored_indices(const Plane& plane, int partition, std::array<Ends, 3>& ends) {
  std::array<int, 16> indices{};
  const int bits = plane.precision.index_bits, last = (1 << bits) - 1;
  for (size_t i = 0; i < 16; ++i)
    indices[i] = index_of(plane.texels[i], ends[static_cast<size_t>(plane.subsets[i])], bits);
  for (int s = 0; s < plane.subset_count; ++s) {
    if (indices[bc7_anchor(plane.subset_count, partition, s)] <= last / 2) continue;
    std::swap(ends[static_cast<size_t>(s)].low, ends[static_cast<size_t>(s)].high);
    for (size_t i = 0; i < 16; ++i)
      if (plane.subsets[i] == s) indices[i] = last - indices[i];
  }
  return indices;
}

void put_indices(Bc7Writer& out, const std::array<int, 16>& indices, const Plane& plane, int partition) {
  for (size_t i = 0; i < 16; ++i) {
    const bool is_anchor = i == bc7_anchor(plane.subset_count, partition, plane.subsets[i]);
    out.put(indices[i], plane.precision.index_bits - (is_anchor ? 1 : 0));
  }
}

Bc7Block BlockEncoder::pack() const {
  const Bc7Mode& m = mode(best_.mode);
  std::array<Ends, 3> ends = best_.color.ends, apart = best_.apart.ends;
  Bc7Writer out;
  out.put(1 << best_.mode, best_.mode + 1);
  out.put(best_.partition, m.partition_bits);
  out.put(best_.rotation, m.rotation_bits);
  out.put(best_.selector, m.selector_bits);
  const bool has_rotation = m.rotation_bits > 0;
  const Texels16 colors = has_rotation ? rotated_colors(best_.rotation) : texels_;
  const Texels16 alone = channel_apart(best_.rotation);
  const Plane plane = has_rotation ? rotated_plane(best_, colors, false) : joint_plane(best_);
  const Plane other = rotated_plane(best_, alone, true);
  const auto indices = anchored_indices(plane, best_.partition, ends);
  const auto others = has_rotation ? anchored_indices(other, 0, apart) : indices;
  if (has_rotation) {
    ends[0].low[kAlpha] = apart[0].low[0];
    ends[0].high[kAlpha] = apart[0].high[0];
  }
  for (const size_t c : kChannels)
    for (size_t s = 0; s < plane.count(); ++s)
      for (const Channels& end : {ends[s].low, ends[s].high}) {
        const int bits = c < kAlpha ? m.color_bits : m.alpha_bits;
        out.put(end[c] >> (8 - bits), bits);
      }
  if (m.p_bits != PBits::none)
    for (size_t s = 0; s < plane.count(); ++s) {
      const int color_bits = m.color_bits + 1;
      out.put(ends[s].low[0] >> (8 - color_bits), 1);
      if (m.p_bits == PBits::per_end) out.put(ends[s].high[0] >> (8 - color_bits), 1);
    }
  // The set of fewer bits comes first.
  const bool color_first = best_.selector == 0;
  put_indices(out, color_first ? indices : others, color_first ? plane : other, best_.partition);
  if (has_rotation) put_indices(out, color_first ? others : indices, color_first ? other : plane, 0);
  return out.block();
}

// One colour, exactly: in mode 5 every value of 8 bits is one of 7, or lies between two of them at index 1.
Bc7Block encode_flat(const Channels& texel) {
  Bc7Writer out;
  out.put(1 << 5, 6);
  out.put(0, 2);
  for (size_t c = 0; c < kAlpha; ++c) {
    const int low = texel[c] >> 1, nearest_low = bc7_expand(low, 7);
    out.put(low, 7);
    out.put(nearest_low == texel[c] ? low : nearest_low < texel[c] ? low + 1 : low - 1, 7);
  }
  out.put(texel[kAlpha], 8);
  out.put(texel[kAlpha], 8);
  for (int i = 0; i < 16; ++i) out.put(1, i == 0 ? 1 : 2);
  out.put(0, 31);
  return out.block();
}

Bc7Block encode(const Bc7Texels& block, Method method) {
  ENSURE(has_method(TextureFormat::bc7, method));
  Texels16 texels{};
  for (size_t i = 0; i < 16; ++i) texels[i] = {block.color.r[i], block.color.g[i], block.color.b[i], block.alpha[i]};
  if (std::ranges::all_of(texels, [&](const Channels& t) { return t == texels[0]; })) return encode_flat(texels[0]);
  return BlockEncoder(texels, method).encode();
}

}  // namespace
}  // namespace bc7

Bc7Block encode_bc7(const Bc7Texels& texels, Method method) { return bc7::encode(texels, method); }

}  // namespace texcast::ref
