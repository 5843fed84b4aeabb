// utf8.h — text from outside: its characters, and which of them a terminal would obey instead of showing them.
//
// Thread-safe: functions only.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace texcast {

// The character that `text` begins with, in UTF-8 (RFC 3629: none that is overlong, a surrogate or above U+10FFFF).
// 0 bytes where it begins with none.
struct Utf8Character {
  size_t bytes = 0;
  char32_t code = 0;
};
Utf8Character first_character(std::string_view text);

// Whether a terminal would do something else than show it: control characters (C0, DEL, C1), line and paragraph
// separators, characters that set the direction of the text around them (UAX #9), by which a name can be made to read
// like another one, and invisible ones that are of no use in a name. The joiners U+200C and U+200D are: Persian and
// emoji need them.
bool steers_text(char32_t code);

// `text` as it may be printed: U+FFFD stands for each byte that is no UTF-8 and for each character that steers_text(),
// but for ends of lines and tabs.
std::string printable_text(std::string_view text);

}  // namespace texcast
