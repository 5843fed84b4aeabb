#include "astc_ends.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "astc_end_points.h"
#include "ref/reciprocal.h"

namespace texcast::ref::astc {
namespace {

float to_byte(float value) { return std::floor(std::min(std::max(value, 0.0F), 255.0F) + 0.5F); }
float half(float value) { return std::floor(value * 0.5F); }

Channels absolute(const Channels& center, const Channels& v) {
  return {center[0] + v[0], center[1] + v[1], center[2] + v[2], center[3] + v[3]};
}

void judge(const Sums& sums, const Channels& center, bool has_alpha, Ends& ends) {
  if (!has_alpha) ends.low[3] = ends.high[3] = center[3];
  Channels low{}, high{};
  for (const size_t c : kChannels) {
    low[c] = ends.low[c] - center[c];
    high[c] = ends.high[c] - center[c];
  }
  ends.error = error_of(sums, low, high);
}

// Stores integers of both ends, channel by channel.
void put_pairs(const Tables& tables, int range, const Channels& even, const Channels& odd, bool has_alpha, Ends& ends,
               Channels& stored_even, Channels& stored_odd) {
  for (size_t c = 0; c < (has_alpha ? 4U : 3U); ++c) {
    const Nearest a = tables.color(range, to_byte(even[c])), b = tables.color(range, to_byte(odd[c]));
    stored_even[c] = a.value;
    stored_odd[c] = b.value;
    ends.codes[2 * c] = a.code;
    ends.codes[2 * c + 1] = b.code;
  }
}

void turn(Ends& ends) {
  for (size_t i = 0; i < ends.codes.size(); i += 2) std::swap(ends.codes[i], ends.codes[i + 1]);
  ends.is_turned = !ends.is_turned;
}

// Direct modes: the second colour must be the lighter one.
Ends direct(const Tables& tables, const Channels& low, const Channels& high, const Storing& how) {
  Ends ends{.mode = how.has_alpha ? kAstcRgba : kAstcRgb};
  put_pairs(tables, how.range, low, high, how.has_alpha, ends, ends.low, ends.high);
  if (light(ends.high) >= light(ends.low)) return ends;
  if (how.may_turn) {
    turn(ends);
  } else {
    ends.high = ends.low;
    for (size_t i = 0; i < ends.codes.size(); i += 2) ends.codes[i + 1] = ends.codes[i];
  }
  return ends;
}

// Blue contraction: red and green are stored nearer to blue, with twice the precision. The second colour must be the
// darker one, and is decoded as the first end point. False if a colour is too far from blue.
bool contracted(const Tables& tables, const Channels& low, const Channels& high, const Storing& how, Ends& ends) {
  ends.mode = how.has_alpha ? kAstcRgba : kAstcRgb;
  Channels a = low, b = high;
  for (const size_t c : {size_t{0}, size_t{1}}) {
    a[c] = 2 * low[c] - low[2];
    b[c] = 2 * high[c] - high[2];
    if (!(std::min(a[c], b[c]) >= 0 && std::max(a[c], b[c]) <= 255)) return false;
  }
  Channels stored_low{}, stored_high{};
  put_pairs(tables, how.range, b, a, how.has_alpha, ends, stored_high, stored_low);
  if (light(stored_low) == light(stored_high)) return false;
  if (light(stored_low) > light(stored_high)) {
    if (!how.may_turn) return false;
    turn(ends);
  }
  ends.low = stored_low;
  ends.high = stored_high;
  for (const size_t c : {size_t{0}, size_t{1}}) {
    ends.low[c] = half(stored_low[c] + stored_low[2]);
    ends.high[c] = half(stored_high[c] + stored_high[2]);
  }
  return true;
}

}  // namespace

float error_of(const Sums& sums, const Channels& low, const Channels& high) {
  Channels error{};
  for (const size_t c : kChannels) {
    const float l = low[c], rise = (high[c] - l) * (1.0F / 64);
    const float linear = l * sums.v[c] + rise * sums.wv[c];
    const float square = (sums.count * (l * l) + (2 * sums.w[c]) * (l * rise)) + sums.ww[c] * (rise * rise);
    error[c] = (sums.vv[c] - 2 * linear) + square;
  }
  return ((error[0] + error[1]) + error[2]) + error[3];
}

Ends store_ends(const Tables& tables, const Sums& sums, const Channels& center, const Line& line, const Storing& how) {
  const auto [kind, has_alpha, may_turn, range] = how;
  const Channels from = absolute(center, line.low), to = absolute(center, line.high);
  if (kind == EndsKind::grey) {
    Ends ends{.mode = has_alpha ? kAstcLuminanceAlpha : kAstcLuminance};
    const Nearest a = tables.color(range, to_byte(light(from) * (1.0F / 3))),
                  b = tables.color(range, to_byte(light(to) * (1.0F / 3)));
    const Nearest c = tables.color(range, to_byte(from[3])), d = tables.color(range, to_byte(to[3]));
    ends.low = {a.value, a.value, a.value, c.value};
    ends.high = {b.value, b.value, b.value, d.value};
    ends.codes = {a.code, b.code, c.code, d.code};
    judge(sums, center, has_alpha, ends);
    return ends;
  }
  if (kind == EndsKind::scaled) {
    Ends ends{.mode = has_alpha ? kAstcRgbScaleAlpha : kAstcRgbScale};
    // The lighter end point is the stored colour.
    ends.is_turned = light(to) < light(from);
    const Channels &dark = ends.is_turned ? to : from, &bright = ends.is_turned ? from : to;
    Channels color{}, darker{};
    for (size_t c = 0; c < 3; ++c) {
      const Nearest n = tables.color(range, to_byte(bright[c]));
      color[c] = n.value;
      ends.codes[c] = n.code;
    }
    const float share = (light(dark) * reciprocal(std::max(light(bright), 1.0F))) * 256;
    const Nearest scale = tables.color(range, to_byte(share));
    ends.codes[3] = scale.code;
    for (size_t c = 0; c < 3; ++c) darker[c] = std::floor((color[c] * scale.value) * (1.0F / 256));
    const Nearest a = tables.color(range, to_byte(dark[3])), b = tables.color(range, to_byte(bright[3]));
    ends.codes[4] = a.code;
    ends.codes[5] = b.code;
    darker[3] = a.value;
    color[3] = b.value;
    ends.low = ends.is_turned ? color : darker;
    ends.high = ends.is_turned ? darker : color;
    judge(sums, center, has_alpha, ends);
    return ends;
  }
  Ends best = direct(tables, from, to, how);
  judge(sums, center, has_alpha, best);
  Ends near_blue;
  if (contracted(tables, from, to, how, near_blue)) {
    judge(sums, center, has_alpha, near_blue);
    if (near_blue.error < best.error) best = near_blue;
  }
  return best;
}

Ends store_offset_ends(const Tables& tables, const Sums& sums, const Channels& center, const Line& line,
                       const Storing& how) {
  const bool has_alpha = how.has_alpha;
  Channels from = absolute(center, line.low), to = absolute(center, line.high);
  Ends ends{.mode = has_alpha ? kAstcRgbaOffset : kAstcRgbOffset};
  ends.is_turned = light(to) < light(from);
  if (ends.is_turned && !how.may_turn) return {};
  if (ends.is_turned) std::swap(from, to);
  Channels base{}, moved{};
  float offsets = 0;
  for (size_t c = 0; c < (has_alpha ? 4U : 3U); ++c) {
    const int wanted = static_cast<int>(to_byte(from[c])), top = wanted & 0x80;
    const Nearest value = tables.color(how.range, static_cast<float>(wanted << 1 & 0xFE));
    const int stored = static_cast<int>(value.value) >> 1 | top;
    const int offset = static_cast<int>(to_byte(to[c])) - stored;
    if (offset < -32 || offset > 31) return {};
    const int packed = top | (offset << 1 & 0x7E);
    const Nearest step = tables.color(how.range, static_cast<float>(packed));
    const int got = static_cast<int>(step.value);
    if (((got ^ packed) & 0xC0) != 0) return {};
    const int six = got >> 1 & 0x3F, read = (six & 0x20) != 0 ? six - 0x40 : six;
    base[c] = static_cast<float>(stored);
    moved[c] = std::min(std::max(static_cast<float>(stored + read), 0.0F), 255.0F);
    if (c < 3) offsets += static_cast<float>(read);
    ends.codes[2 * c] = value.code;
    ends.codes[2 * c + 1] = step.code;
  }
  if (offsets < 0) return {};
  ends.low = ends.is_turned ? moved : base;
  ends.high = ends.is_turned ? base : moved;
  judge(sums, center, has_alpha, ends);
  return ends;
}

}  // namespace texcast::ref::astc
