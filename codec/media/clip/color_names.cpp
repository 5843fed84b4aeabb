#include "media/color_names.h"

#include <fmt/core.h>

#include <array>
#include <span>

namespace texcast::media {
namespace {

struct CodeName {
  int code;
  const char* name;
};
// ITU-T H.273, tables 2 and 3.
constexpr int kUnspecified = 2;
constexpr std::array kPrimaries = {
    CodeName{1, "BT.709"},     CodeName{4, "BT.470 M"},     CodeName{5, "BT.601 625"},  CodeName{6, "BT.601 525"},
    CodeName{7, "SMPTE 240M"}, CodeName{8, "generic film"}, CodeName{9, "BT.2020"},     CodeName{10, "CIE XYZ"},
    CodeName{11, "DCI-P3"},    CodeName{12, "Display P3"},  CodeName{22, "EBU 3213-E"},
};
constexpr std::array kTransfers = {
    CodeName{1, "BT.709"},          CodeName{4, "gamma 2.2"},
    CodeName{5, "gamma 2.8"},       CodeName{6, "BT.601"},
    CodeName{7, "SMPTE 240M"},      CodeName{8, "linear"},
    CodeName{9, "log 100:1"},       CodeName{10, "log 316:1"},
    CodeName{11, "xvYCC"},          CodeName{12, "BT.1361"},
    CodeName{13, "sRGB"},           CodeName{14, "BT.2020 10 bit"},
    CodeName{15, "BT.2020 12 bit"}, CodeName{16, "PQ"},
    CodeName{17, "SMPTE 428-1"},    CodeName{18, "HLG"},
};

std::string name_of(std::span<const CodeName> names, int code, const char* what) {
  if (code == kUnspecified) return "unspecified";
  for (const CodeName& row : names)
    if (row.code == code) return row.name;
  return fmt::format("{} {}", what, code);
}

}  // namespace

std::string primaries_name(int code) { return name_of(kPrimaries, code, "primaries"); }
std::string transfer_name(int code) { return name_of(kTransfers, code, "transfer"); }

std::string matrix_name(ColorMatrix matrix) {
  switch (matrix) {
    case ColorMatrix::bt601: return "BT.601";
    case ColorMatrix::bt709: return "BT.709";
    case ColorMatrix::bt2020: return "BT.2020";
  }
  return "?";
}

std::string color_text(const ColorSpec& color) {
  const std::string range = color.range == ColorRange::full ? "full range" : "limited range";
  const std::string primaries = primaries_name(color.primaries), transfer = transfer_name(color.transfer),
                    matrix = matrix_name(color.matrix);
  if (primaries == matrix && transfer == matrix) return fmt::format("{}, {}", matrix, range);
  if (color.primaries == kUnspecified && color.transfer == kUnspecified)
    return fmt::format("{} matrix, primaries and transfer unspecified, {}", matrix, range);
  return fmt::format("{} primaries, {} transfer, {} matrix, {}", primaries, transfer, matrix, range);
}

}  // namespace texcast::media
