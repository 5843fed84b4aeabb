#include "test_digits.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace texcast::media {
namespace {

constexpr uint8_t kBlack = 16, kWhite = 235;
constexpr int kGlyphHeight = 7, kDigitPitch = 5, kDotPitch = 2;  // units
constexpr int kMaxDigits = 8;
constexpr std::string_view kTimeShape = "00:00:00.000";

struct Rect {
  int x, y, width, height;
};

// In units from the glyph's corner, in the order a b c d e f g. They do not overlap.
constexpr std::array<Rect, 7> kSegments = {
    {{0, 0, 4, 1}, {3, 1, 1, 2}, {3, 4, 1, 2}, {0, 6, 4, 1}, {0, 4, 1, 2}, {0, 1, 1, 2}, {0, 3, 4, 1}}};
// Corners where strokes meet are lit together with the strokes that end there, so that digits have no gaps.
struct Joint {
  Rect rect;
  int ends;        // segments, as bits
  bool needs_all;  // of them
};
constexpr std::array<Joint, 6> kJoints = {{{{0, 0, 1, 1}, 0x20, false},   // f
                                           {{3, 0, 1, 1}, 0x02, false},   // b
                                           {{0, 6, 1, 1}, 0x10, false},   // e
                                           {{3, 6, 1, 1}, 0x04, false},   // c
                                           {{0, 3, 1, 1}, 0x30, true},    // e and f
                                           {{3, 3, 1, 1}, 0x06, true}}};  // b and c
constexpr std::array<Rect, 2> kHoles = {{{1, 1, 2, 2}, {1, 4, 2, 2}}};    // dark in every digit
// Bit s is segment s.
constexpr std::array<uint8_t, 10> kDigitSegments = {0x3F, 0x06, 0x5B, 0x4F, 0x66, 0x6D, 0x7D, 0x07, 0x7F, 0x6F};

bool is_dot(char c) { return c == ':' || c == '.'; }

int text_units(std::string_view text) {
  int units = 1;
  for (const char c : text) units += is_dot(c) ? kDotPitch : kDigitPitch;
  return units;
}

int steady_unit(int unit) {
  return unit >= 4 ? unit / 4 * 4 : std::max(unit, 1);
}  // multiples of 4, so that strokes end at block borders

DigitBox box_of(int picture_width, int y, int unit, int units_across) {
  DigitBox box{.x = 0, .y = y, .unit = unit, .width = units_across * unit, .height = (kGlyphHeight + 2) * unit};
  box.x = std::max(0, picture_width - box.width) / 2 / 8 * 8;
  return box;
}

void fill(LumaPlane plane, Rect r, uint8_t value) {
  for (int y = 0; y < r.height; ++y)
    std::memset(plane.data + static_cast<ptrdiff_t>(r.y + y) * plane.stride + r.x, value, static_cast<size_t>(r.width));
}

Rect in_texels(const DigitBox& box, int units_across, const Rect& r) {
  return {box.x + (1 + units_across + r.x) * box.unit, box.y + (1 + r.y) * box.unit, r.width * box.unit,
          r.height * box.unit};
}

// Mean of R, G and B over the middle of a rectangle, as a codec may have blended its edges with the surroundings.
int brightness(const DecodedImage& image, const Rect& r) {
  const int inset_x = r.width / 4, inset_y = r.height / 4;
  int sum = 0, count = 0;
  for (int y = r.y + inset_y; y < r.y + r.height - inset_y; ++y)
    for (int x = r.x + inset_x; x < r.x + r.width - inset_x; ++x)
      for (int c = 0; c < 3; ++c, ++count)
        sum += image.pixels[(static_cast<size_t>(y) * static_cast<size_t>(image.width) + static_cast<size_t>(x)) * 3 +
                            static_cast<size_t>(c)];
  return count > 0 ? sum / count : 0;
}

enum class Stroke { dark, lit, unclear };
Stroke stroke(const DecodedImage& image, const Rect& r) {
  const int value = brightness(image, r);
  return value >= 160 ? Stroke::lit : value <= 96 ? Stroke::dark : Stroke::unclear;
}

std::optional<uint32_t> read_digit(const DecodedImage& image, const DigitBox& box, int units_across) {
  for (const Rect& hole : kHoles)
    if (stroke(image, in_texels(box, units_across, hole)) != Stroke::dark) return std::nullopt;
  int lit = 0;
  for (size_t s = 0; s < kSegments.size(); ++s) {
    const Stroke seen = stroke(image, in_texels(box, units_across, kSegments[s]));
    if (seen == Stroke::unclear) return std::nullopt;
    if (seen == Stroke::lit) lit |= 1 << s;
  }
  const auto found = std::find(kDigitSegments.begin(), kDigitSegments.end(), lit);
  if (found == kDigitSegments.end()) return std::nullopt;
  return static_cast<uint32_t>(found - kDigitSegments.begin());
}

}  // namespace

DigitLayout digit_layout(int width, int height) {
  DigitLayout layout;
  const int unit = steady_unit(std::min(width / 112, height / 72));
  layout.number_digits = std::min(kMaxDigits, (width / unit - 1) / kDigitPitch);
  const int number_height = (kGlyphHeight + 2) * unit;
  // They are in the lower third of the card, which is free for them. Very low pictures have no room there, so they are
  // as low as possible.
  const int wanted = height * 2 / 3 + unit;
  const int number_y = std::min((wanted + 7) / 8 * 8, std::max(0, height - number_height) / 8 * 8);
  layout.number = box_of(width, number_y, unit, 1 + kDigitPitch * layout.number_digits);

  const int time_unit = steady_unit(unit / 2);
  const int time_y = (number_y + number_height + unit + 7) / 8 * 8;
  const DigitBox time = box_of(width, time_y, time_unit, text_units(kTimeShape));
  if (time.width <= width && time.y + time.height <= height) layout.time = time;
  return layout;
}

void draw_text(LumaPlane plane, const DigitBox& box, std::string_view text) {
  fill(plane, {box.x, box.y, box.width, box.height}, kBlack);
  int across = 0;
  for (const char c : text) {
    if (is_dot(c)) {
      fill(plane, in_texels(box, across, {0, c == ':' ? 4 : 6, 1, 1}), kWhite);
      if (c == ':') fill(plane, in_texels(box, across, {0, 2, 1, 1}), kWhite);
      across += kDotPitch;
      continue;
    }
    const int segments = kDigitSegments[static_cast<size_t>(c - '0')];
    for (size_t s = 0; s < kSegments.size(); ++s)
      if ((segments >> s & 1) != 0) fill(plane, in_texels(box, across, kSegments[s]), kWhite);
    for (const Joint& joint : kJoints)
      if (joint.needs_all ? (segments & joint.ends) == joint.ends : (segments & joint.ends) != 0)
        fill(plane, in_texels(box, across, joint.rect), kWhite);
    across += kDigitPitch;
  }
}

std::optional<uint32_t> read_digits(const DecodedImage& image, const DigitBox& box, int digits) {
  uint32_t number = 0;
  for (int i = 0; i < digits; ++i) {
    const auto digit = read_digit(image, box, i * kDigitPitch);
    if (!digit) return std::nullopt;
    number = number * 10 + *digit;
  }
  return number;
}

}  // namespace texcast::media
