// etc2_decode.cpp — decodes as Khronos Data Format 1.3 specifies, sections 21 (ETC1) and 22 (ETC2).
#include <optional>

#include "etc_colors.h"
#include "ref/etc2.h"

namespace texcast::ref {
namespace {

using etc::Rgb;

constexpr int kOpaque = 255;

// The block as one number, its first byte on top: bit numbers are the specification's.
class EtcBits {
 public:
  explicit EtcBits(std::span<const uint8_t, 8> block) {
    for (const uint8_t byte : block) value_ = value_ << 8 | byte;
  }
  // Bits `high` to `low`.
  int field(int high, int low) const {
    return static_cast<int>(value_ >> low & ((uint64_t{1} << (high - low + 1)) - 1));
  }
  int bit(int at) const { return field(at, at); }
  // Texel i's upper and lower bit; texels are stored column by column.
  size_t index(size_t i) const {
    const int at = static_cast<int>(i % 4 * 4 + i / 4);
    return static_cast<size_t>(2 * bit(16 + at) + bit(at));
  }

 private:
  uint64_t value_ = 0;
};

// Two's complement of three bits.
int difference(int bits) { return bits < 4 ? bits : bits - 8; }

struct EtcTexels {
  RgbBlock color{};
  ChannelBlock alpha{};
  void put(size_t i, const Rgb& rgb, int a = kOpaque) {
    color.r[i] = rgb[0];
    color.g[i] = rgb[1];
    color.b[i] = rgb[2];
    alpha[i] = a;
  }
};

// `has_hole`: index 2 is transparent black.
EtcTexels painted(const EtcBits& bits, const etc::Paints& paints, bool has_hole) {
  EtcTexels texels;
  for (size_t i = 0; i < 16; ++i) {
    const size_t index = bits.index(i);
    if (has_hole && index == 2)
      texels.put(i, {0, 0, 0}, 0);
    else
      texels.put(i, paints[index]);
  }
  return texels;
}

Rgb of_four_bits(int r, int g, int b) { return etc::expanded(Rgb{r, g, b}, 4); }

EtcTexels decode_t(const EtcBits& bits, bool has_hole) {
  const Rgb first = of_four_bits(bits.field(60, 59) << 2 | bits.field(57, 56), bits.field(55, 52), bits.field(51, 48));
  const Rgb second = of_four_bits(bits.field(47, 44), bits.field(43, 40), bits.field(39, 36));
  const int distance = etc::kDistances[static_cast<size_t>(bits.field(35, 34) << 1 | bits.bit(32))];
  return painted(bits, {first, etc::moved(second, distance), second, etc::moved(second, -distance)}, has_hole);
}

EtcTexels decode_h(const EtcBits& bits, bool has_hole) {
  const Rgb first =
      of_four_bits(bits.field(62, 59), bits.field(58, 56) << 1 | bits.bit(52), bits.bit(51) << 3 | bits.field(49, 47));
  const Rgb second = of_four_bits(bits.field(46, 43), bits.field(42, 39), bits.field(38, 35));
  const int order = first >= second ? 1 : 0;
  const int distance = etc::kDistances[static_cast<size_t>(bits.bit(34) << 2 | bits.bit(32) << 1 | order)];
  return painted(bits,
                 {etc::moved(first, distance), etc::moved(first, -distance), etc::moved(second, distance),
                  etc::moved(second, -distance)},
                 has_hole);
}

EtcTexels decode_planar(const EtcBits& bits) {
  const auto six = [](int v) { return v << 2 | v >> 4; };
  const auto seven = [](int v) { return v << 1 | v >> 6; };
  const Rgb origin = {six(bits.field(62, 57)), seven(bits.bit(56) << 6 | bits.field(54, 49)),
                      six(bits.bit(48) << 5 | bits.field(44, 43) << 3 | bits.field(41, 39))};
  const Rgb across = {six(bits.field(38, 34) << 1 | bits.bit(32)), seven(bits.field(31, 25)), six(bits.field(24, 19))};
  const Rgb down = {six(bits.field(18, 13)), seven(bits.field(12, 6)), six(bits.field(5, 0))};
  EtcTexels texels;
  for (size_t i = 0; i < 16; ++i) {
    const int x = static_cast<int>(i % 4), y = static_cast<int>(i / 4);
    Rgb rgb{};
    for (size_t c = 0; c < 3; ++c)
      rgb[c] = std::clamp((x * (across[c] - origin[c]) + y * (down[c] - origin[c]) + 4 * origin[c] + 2) >> 2, 0, 255);
    texels.put(i, rgb);
  }
  return texels;
}

// `colors`: of both halves.
EtcTexels decode_halves(const EtcBits& bits, const std::array<Rgb, 2>& colors, bool has_hole) {
  const std::array tables = {static_cast<size_t>(bits.field(39, 37)), static_cast<size_t>(bits.field(36, 34))};
  const bool is_flipped = bits.bit(32) == 1;
  std::array<EtcTexels, 2> halves;
  for (size_t half = 0; half < 2; ++half) {
    etc::Paints paints = etc::half_paints(colors[half], tables[half]);
    if (has_hole) paints[0] = colors[half];
    halves[half] = painted(bits, paints, has_hole);
  }
  EtcTexels texels;
  for (size_t i = 0; i < 16; ++i) {
    const EtcTexels& from = halves[(is_flipped ? i / 4 : i % 4) < 2 ? 0 : 1];
    texels.put(i, etc::texel(from.color, i), from.alpha[i]);
  }
  return texels;
}

// Five bits and a difference per channel. If a sum is invalid, there are no colours, and `out_of_range` is the first
// such channel.
std::array<Rgb, 2> differential_colors(const EtcBits& bits, std::optional<size_t>& out_of_range) {
  std::array<Rgb, 2> codes{};
  for (size_t c = 0; c < 3; ++c) {
    const int top = 63 - 8 * static_cast<int>(c);
    codes[0][c] = bits.field(top, top - 4);
    codes[1][c] = codes[0][c] + difference(bits.field(top - 5, top - 7));
    if (!out_of_range && (codes[1][c] < 0 || codes[1][c] > 31)) out_of_range = c;
  }
  return codes;
}

EtcTexels decode(const EtcBits& bits, bool is_individual, bool has_hole) {
  if (is_individual)
    return decode_halves(bits,
                         {of_four_bits(bits.field(63, 60), bits.field(55, 52), bits.field(47, 44)),
                          of_four_bits(bits.field(59, 56), bits.field(51, 48), bits.field(43, 40))},
                         has_hole);
  std::optional<size_t> out_of_range;
  const auto codes = differential_colors(bits, out_of_range);
  if (!out_of_range) return decode_halves(bits, {etc::expanded(codes[0], 5), etc::expanded(codes[1], 5)}, has_hole);
  if (*out_of_range == 0) return decode_t(bits, has_hole);
  return *out_of_range == 1 ? decode_h(bits, has_hole) : decode_planar(bits);
}

}  // namespace

RgbBlock decode_etc2(std::span<const uint8_t, 8> block) {
  const EtcBits bits(block);
  return decode(bits, bits.bit(33) == 0, false).color;
}

PunchThroughBlock decode_etc2_a1(std::span<const uint8_t, 8> block) {
  const EtcBits bits(block);
  const EtcTexels texels = decode(bits, false, bits.bit(33) == 0);
  return {texels.color, texels.alpha};
}

}  // namespace texcast::ref
