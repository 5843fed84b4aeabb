// format_families.h — one texture format of each family, for tests that would otherwise build the same kernel source
// for all members of it; and families that take long. tests/kernels compares each of the other formats with its
// reference.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "texcast/format.h"

namespace texcast::test {

inline std::vector<TextureFormat> one_format_a_family() {
  // For ETC it is the one with alpha, which includes the others' kernels.
  static constexpr std::array kVariants = {
      TextureFormat::eac_r11_signed, TextureFormat::eac_rg11,    TextureFormat::eac_rg11_signed,
      TextureFormat::bc4_signed,     TextureFormat::bc5_signed,  TextureFormat::etc1,
      TextureFormat::etc2,           TextureFormat::bc6h_signed, TextureFormat::astc_5x5,
      TextureFormat::astc_6x6,       TextureFormat::astc_8x8};
  std::vector<TextureFormat> formats;
  for (const TextureFormat format : encoded_formats())
    if (std::ranges::find(kVariants, format) == kVariants.end()) formats.push_back(format);
  return formats;
}

// ASTC, EAC, ETC, BC6H and BC7, whose reference encoders try thousands of settings per block at quality `best`.
inline bool is_slow_at_best(TextureFormat format) {
  static constexpr std::array kSlow = {
      CodingId::eac_r11, CodingId::eac_r11_signed, CodingId::eac_rg11, CodingId::eac_rg11_signed,
      CodingId::etc2,    CodingId::etc2_alpha,     CodingId::bc6h,     CodingId::bc6h_signed,
      CodingId::bc7,     CodingId::astc_4x4,       CodingId::astc_5x5, CodingId::astc_6x6,
      CodingId::astc_8x8};
  return std::ranges::find(kSlow, format_row(format).planes[0].coding) != kSlow.end();
}

}  // namespace texcast::test
