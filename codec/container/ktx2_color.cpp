#include "ktx2_color.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace texcast::container::ktx2 {
namespace {

// H.273 (tables 2 and 3) and the corresponding khr_df_primaries_e or khr_df_transfer_e. In the other direction the
// first row applies.
struct CodePoint {
  uint8_t h273;
  uint8_t dfd;
};
constexpr std::array kPrimaryRows = {
    CodePoint{1, 1},    // BT.709
    CodePoint{5, 2},    // BT.601, 625 lines
    CodePoint{6, 3},    // BT.601, 525 lines
    CodePoint{7, 3},    // SMPTE 240M: the same
    CodePoint{9, 4},    // BT.2020
    CodePoint{10, 5},   // CIE XYZ
    CodePoint{4, 8},    // NTSC 1953
    CodePoint{12, 10},  // Display P3
};
constexpr std::array kTransferRows = {
    CodePoint{8, 1},   // linear
    CodePoint{13, 2},  // sRGB
    CodePoint{1, 3},   // BT.709, and BT.601 and BT.2020, which have the same curve
    CodePoint{6, 3},   CodePoint{14, 3}, CodePoint{15, 3}, CodePoint{4, 4},  // gamma 2.2
    CodePoint{18, 8},                                                        // HLG
    CodePoint{16, 10},                                                       // PQ
    CodePoint{5, 14},                                                        // gamma 2.8
    CodePoint{7, 15},                                                        // SMPTE 240M
};
constexpr uint8_t kH273Unspecified = 2;

template <typename Rows>
uint8_t to_dfd(const Rows& rows, uint8_t h273) {
  const auto found = std::ranges::find(rows, h273, &CodePoint::h273);
  return found == rows.end() ? kUnspecified : found->dfd;
}
template <typename Rows>
uint8_t to_h273(const Rows& rows, uint8_t dfd) {
  const auto found = std::ranges::find(rows, dfd, &CodePoint::dfd);
  return found == rows.end() ? kH273Unspecified : found->h273;
}

int matrix_code(ColorMatrix matrix) {
  switch (matrix) {
    case ColorMatrix::bt601: return 6;
    case ColorMatrix::bt709: return 1;
    case ColorMatrix::bt2020: return 9;
  }
  return 1;
}

std::optional<uint8_t> take_number(std::string_view& text) {
  uint8_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  if (!text.empty() && text.front() != ',') return std::nullopt;
  text.remove_prefix(text.empty() ? 0 : 1);
  return value;
}

}  // namespace

uint8_t dfd_primaries(uint8_t h273) { return to_dfd(kPrimaryRows, h273); }
uint8_t dfd_transfer(uint8_t h273) { return to_dfd(kTransferRows, h273); }

ColorSpec color_from_dfd(uint8_t primaries, uint8_t transfer) {
  return {.matrix = ColorMatrix::bt709,
          .range = ColorRange::full,
          .primaries = to_h273(kPrimaryRows, primaries),
          .transfer = to_h273(kTransferRows, transfer)};
}

std::string color_text(const ColorSpec& color) {
  return fmt::format("{},{},{}", matrix_code(color.matrix), color.primaries, color.transfer);
}

std::optional<ColorSpec> color_from_text(std::string_view text) {
  const auto matrix = take_number(text);
  const auto primaries = matrix ? take_number(text) : std::nullopt;
  const auto transfer = primaries ? take_number(text) : std::nullopt;
  if (!transfer || !text.empty()) return std::nullopt;
  for (const ColorMatrix known : {ColorMatrix::bt601, ColorMatrix::bt709, ColorMatrix::bt2020})
    if (matrix_code(known) == *matrix)
      return ColorSpec{.matrix = known, .range = ColorRange::full, .primaries = *primaries, .transfer = *transfer};
  return std::nullopt;
}

}  // namespace texcast::container::ktx2
