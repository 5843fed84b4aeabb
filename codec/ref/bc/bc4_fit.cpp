#include "ref/bc4_fit.h"

#include <algorithm>
#include <bit>
#include <cstdint>

#include "base/ensure.h"
#include "kernels/bc4_starts.h"
#include "kernels/effort.h"
#include "ref/reciprocal.h"

namespace texcast::ref {
namespace {

struct Start {
  float scale, offset;
};
#define TEXCAST_START(scale, offset) {scale, offset},
constexpr std::array<Start, BC4_START_COUNT> kStarts = {{FOR_EACH_BC4_START(TEXCAST_START)}};
#undef TEXCAST_START

constexpr int kUnit = 12;         // units of a value per 8-bit step
constexpr int kNear = 4 * kUnit;  // distance from black or white that counts as near
// The least gain, summed over the block in squared units, for which the six-value order is chosen, as hardware
// interpolates it more coarsely than the other (an NVIDIA H200 is off by up to 2.6 % of the range, against 1.1 %).
constexpr float kSixValuePenalty = 64.0f * kUnit * kUnit;
constexpr float kNoError = 3e38f;

int to_code(int twelfths) { return (twelfths + kUnit / 2) / kUnit; }

// The texels that are to be fitted between the end points, and the number of steps between these.
struct Group {
  ChannelBlock values;           // twelfths
  std::array<int32_t, 16> mask;  // all bits of texels that are fitted
  int steps;                     // 7 or 5
  int count = 0, low = 3060, high = 0;

  Group(const ChannelBlock& twelfths, const std::array<bool, 16>& inside, int step_count)
      : values(twelfths), mask{}, steps(step_count) {
    for (size_t i = 0; i < 16; ++i) {
      if (!inside[i]) continue;
      mask[i] = -1;
      ++count;
      low = std::min(low, values[i]);
      high = std::max(high, values[i]);
    }
  }
};

struct Ends {
  int low = 0, high = 0;
  float error = kNoError;
};

// The sum in the kernels' order: halves of the lanes are added to each other.
float sum_of(std::array<float, 16> lanes) {
  for (size_t half = 8; half > 0; half /= 2)
    for (size_t i = 0; i < half; ++i) lanes[i] += lanes[i + half];
  return lanes[0];
}

// Rounds as the kernels do, bit for bit.
int held_code(float code, int top) {
  const float held = std::min(std::max(code, 0.0f), static_cast<float>(top));
  // NOLINTNEXTLINE(bugprone-incorrect-roundings)
  return static_cast<int>(held + 0.5f);
}

// Least squares for the places of a start; kept if the error is smaller.
void fit_from(const Start& start, const Group& g, int top, Ends& best) {
  const int base = kUnit * to_code(g.low);
  const auto steps = static_cast<float>(g.steps);
  const float to_place = steps * reciprocal(static_cast<float>(g.high - g.low));
  const float scale = to_place * start.scale, offset = steps * start.offset;
  int p = 0, pp = 0, pv = 0, v = 0;
  for (size_t i = 0; i < 16; ++i) {
    const float at = static_cast<float>(g.values[i] - g.low) * scale + offset;
    // Adding 2^23 rounds to an integer, which is then in the lowest bits.
    const float held = std::min(std::max(at, 0.0f), steps) + 8388608.0f;
    // Of 16 bits, so that compilers find the instruction that adds two products.
    const auto place = static_cast<int16_t>(std::bit_cast<int32_t>(held) & 7 & g.mask[i]);
    const auto value = static_cast<int16_t>((g.values[i] - base) & g.mask[i]);
    p += place;
    pp += place * place;
    pv += place * value;
    v += value;
  }
  const int determinant = g.count * pp - p * p;
  if (determinant == 0) return;
  const float inverse = reciprocal(static_cast<float>(determinant)) * (1.0f / kUnit);
  const float low_step = static_cast<float>(pp * v - p * pv) * inverse;
  const float rise = static_cast<float>(g.count * pv - p * v) * inverse * steps;
  const auto first = static_cast<float>(to_code(g.low)) + low_step;
  const int low = held_code(first, top), high = held_code(first + rise, top);
  if (high <= low) return;
  // steps^2 times the squared error for these places, minus what all candidates have in common.
  const int square = g.steps * g.steps;
  const int b = kUnit * low - base, d = kUnit * (high - low);
  const int with_b = square * g.count * b + 2 * g.steps * d * p - 2 * square * v;
  const int with_d = d * pp - 2 * g.steps * pv;
  const float error =
      static_cast<float>(b) * static_cast<float>(with_b) + static_cast<float>(d) * static_cast<float>(with_d);
  if (error < best.error) best = {low, high, error};
}

// Each texel's exactly nearest place from low (0) to high (steps); midpoints are rounded up.
int nearest_place(int value, const Ends& ends, int steps) {
  const int range = kUnit * (ends.high - ends.low);
  int place = 0;
  for (int p = 1; p <= steps; ++p)
    if (2 * steps * (value - kUnit * ends.low) >= (2 * p - 1) * range) place = p;
  return place;
}

// steps * (value - palette), exact.
int off_place(int value, const Ends& ends, int steps, int place) {
  return steps * (value - kUnit * ends.low) - place * kUnit * (ends.high - ends.low);
}

float square(int value) { return static_cast<float>(value) * static_cast<float>(value); }

float eight_value_error(const ChannelBlock& values, const Ends& ends) {
  std::array<float, 16> errors{};
  for (size_t i = 0; i < 16; ++i) errors[i] = square(off_place(values[i], ends, 7, nearest_place(values[i], ends, 7)));
  return sum_of(errors) * (1.0f / 49.0f);
}

// Here place 6 is 0 and place 7 is the top, if they are nearer than the end points' own.
struct SixPlace {
  int place;
  float error;
};
SixPlace six_value_place(int value, const Ends& ends, int top) {
  const int place = nearest_place(value, ends, 5);
  SixPlace nearest{place, square(off_place(value, ends, 5, place))};
  const float black = square(5 * value), white = square(5 * (top * kUnit - value));
  if (black < nearest.error) nearest = {6, black};
  if (white < nearest.error) nearest = {7, white};
  return nearest;
}

float six_value_error(const ChannelBlock& values, const Ends& ends, int top) {
  std::array<float, 16> errors{};
  for (size_t i = 0; i < 16; ++i) errors[i] = six_value_place(values[i], ends, top).error;
  return sum_of(errors) * (1.0f / 25.0f);
}

Ends fit(const Group& group, int starts, int top) {
  Ends best;
  for (int n = 0; n < starts; ++n) fit_from(kStarts[static_cast<size_t>(n)], group, top, best);
  return best;
}

// Tries all end points up to `window` steps away.
void search(const ChannelBlock& values, int window, int top, Ends& best) {
  const Ends middle = best;
  for (int low = middle.low - window; low <= middle.low + window; ++low)
    for (int high = middle.high - window; high <= middle.high + window; ++high) {
      if (low < 0 || high > top || high <= low) continue;
      Ends ends{low, high, 0};
      ends.error = eight_value_error(values, ends);
      if (ends.error < best.error) best = ends;
    }
}

Bc4Block pack(int a0, int a1, const std::array<int, 16>& indices) {
  Bc4Block block{static_cast<uint8_t>(a0), static_cast<uint8_t>(a1)};
  uint64_t bits = 0;
  for (size_t i = 0; i < 16; ++i) bits |= static_cast<uint64_t>(indices[i]) << (3 * i);
  for (size_t i = 0; i < 6; ++i) block[2 + i] = static_cast<uint8_t>(bits >> (8 * i));
  return block;
}

Bc4Block pack_eight(const ChannelBlock& values, const Ends& ends) {
  std::array<int, 16> indices{};
  for (size_t i = 0; i < 16; ++i) {
    const int place = nearest_place(values[i], ends, 7);
    indices[i] = place == 7 ? 0 : place == 0 ? 1 : 8 - place;
  }
  return pack(ends.high, ends.low, indices);
}

Bc4Block pack_six(const ChannelBlock& values, const Ends& ends, int top) {
  std::array<int, 16> indices{};
  for (size_t i = 0; i < 16; ++i) {
    const int place = six_value_place(values[i], ends, top).place;
    indices[i] = place >= 6 ? place : place == 0 ? 0 : place == 5 ? 1 : place + 1;
  }
  return pack(ends.low, ends.high, indices);
}

// End points for the texels that are neither near black nor near white.
Ends six_value_ends(const Group& inner, int top) {
  Ends ends;
  if (inner.count > 0 && inner.high > inner.low) ends = fit(inner, TEXCAST_SIX_VALUE_STARTS, top);
  if (ends.error == kNoError) {
    const int code = inner.count > 0 ? to_code((inner.low + inner.high) / 2) : (top + 1) / 2;
    ends.low = ends.high = code;
  }
  return ends;
}

Bc4Effort effort_of(Method method) {
  ENSURE(has_method(TextureFormat::bc4, method));
  const auto m = static_cast<int>(method);
  return {TEXCAST_BC4_STARTS(m), TEXCAST_CHANNEL_SIX_VALUES(m) != 0, TEXCAST_BC4_WINDOW(m)};
}

}  // namespace

Bc4Block encode_bc4_fitted(const ChannelBlock& twelfths, const Bc4Effort& effort, int top) {
  ENSURE(effort.starts >= 1 && effort.starts <= BC4_START_COUNT);
  std::array<bool, 16> all{}, inner{};
  int sum = 0;
  for (size_t i = 0; i < 16; ++i) {
    ENSURE(twelfths[i] >= 0 && twelfths[i] <= top * kUnit);
    all[i] = true;
    inner[i] = twelfths[i] > kNear && twelfths[i] < top * kUnit - kNear;
    sum += twelfths[i];
  }
  const Group whole(twelfths, all, 7);
  Ends ends;
  if (whole.high > whole.low) ends = fit(whole, effort.starts, top);
  if (ends.error == kNoError) {
    const int code = (sum + 8 * kUnit) / (16 * kUnit);  // flat
    return pack(code, code, {});
  }
  const Group middle(twelfths, inner, 5);
  const bool try_six = effort.six_values && middle.count < 16;
  if (try_six || effort.window > 0) ends.error = eight_value_error(twelfths, ends);
  if (effort.window > 0) search(twelfths, effort.window, top, ends);
  if (try_six) {
    const Ends six = six_value_ends(middle, top);
    if (six_value_error(twelfths, six, top) + kSixValuePenalty < ends.error) return pack_six(twelfths, six, top);
  }
  return pack_eight(twelfths, ends);
}

Bc4Block encode_bc4_channel(const ChannelBlock& texels, Method method) {
  ChannelBlock twelfths{};
  for (size_t i = 0; i < 16; ++i) twelfths[i] = 12 * texels[i];
  return encode_bc4_fitted(twelfths, effort_of(method));
}

Bc4Block encode_bc4_signed(const ChannelBlock& texels, Method method) {
  // Codes of -127..127 are fitted as 0..254.
  constexpr int kTop = 254;
  ChannelBlock twelfths{};
  for (size_t i = 0; i < 16; ++i) twelfths[i] = (kTop * kUnit * texels[i] + 127) / 255;
  Bc4Block block = encode_bc4_fitted(twelfths, effort_of(method), kTop);
  for (size_t i = 0; i < 2; ++i) block[i] = static_cast<uint8_t>(block[i] - 127);
  return block;
}

}  // namespace texcast::ref
