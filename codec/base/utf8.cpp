#include "base/utf8.h"

#include <algorithm>
#include <array>

namespace texcast {

Utf8Character first_character(std::string_view text) {
  const auto byte = [&](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const unsigned lead = byte(0);
  if (text.empty()) return {};
  if (lead < 0x80) return {1, static_cast<char32_t>(lead)};
  const size_t bytes = lead >= 0xC2 && lead < 0xE0   ? 2
                       : lead >= 0xE0 && lead < 0xF0 ? 3
                       : lead >= 0xF0 && lead < 0xF5 ? 4
                                                     : 0;
  if (bytes == 0) return {};
  char32_t code = lead & (0x7Fu >> bytes);
  for (size_t i = 1; i < bytes; ++i) {
    if (byte(i) >> 6 != 2) return {};
    code = code << 6 | (byte(i) & 0x3F);
  }
  constexpr std::array<char32_t, 5> kLeast = {0, 0, 0x80, 0x800, 0x10000};
  if (code < kLeast[bytes] || (code >= 0xD800 && code < 0xE000) || code > 0x10FFFF) return {};
  return {bytes, code};
}

bool steers_text(char32_t code) {
  struct Range {
    char32_t first, last;
  };
  constexpr std::array kRanges = {
      Range{0x00, 0x1F},       Range{0x7F, 0x9F},     Range{0xAD, 0xAD},  // C0; DEL and C1; soft hyphen
      Range{0x61C, 0x61C},     Range{0x180E, 0x180E},                     // Arabic letter mark; Mongolian separator
      Range{0x200B, 0x200B},   Range{0x200E, 0x200F},                     // zero width space; marks of direction
      Range{0x2028, 0x202E},   Range{0x2060, 0x206F},                     // separators, embeddings; isolates
      Range{0xFEFF, 0xFEFF},   Range{0xFFF9, 0xFFFB},                     // byte order mark; annotations
      Range{0xE0000, 0xE007F},                                            // tags
  };
  return std::ranges::any_of(kRanges, [&](const Range& r) { return code >= r.first && code <= r.last; });
}

std::string printable_text(std::string_view text) {
  std::string printable;
  printable.reserve(text.size());
  while (!text.empty()) {
    const Utf8Character c = first_character(text);
    if (c.bytes > 0 && (!steers_text(c.code) || c.code == U'\n' || c.code == U'\t'))
      printable += text.substr(0, c.bytes);
    else
      printable += "\uFFFD";
    text.remove_prefix(std::max<size_t>(c.bytes, 1));
  }
  return printable;
}

}  // namespace texcast
