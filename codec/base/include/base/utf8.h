// utf8.h — characters of text from outside, and those that a terminal would obey instead of showing.
//
// Thread-safe: functions only.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace texcast {

// The character that `text` begins with, in UTF-8 (RFC 3629: not overlong, no surrogate, not above U+10FFFF). 0 bytes
// if `text` does not begin with one.
struct Utf8Character {
  size_t bytes = 0;
  char32_t code = 0;
};
Utf8Character first_character(std::string_view text);

// Whether a terminal would act on the character instead of showing it: control characters (C0, DEL, C1), line and
// paragraph separators, characters that set the direction of the text around them (UAX #9), by which a name can be made
// to read like another one, and invisible ones that a name does not need. The joiners U+200C and U+200D are none of
// these, as Persian and emoji need them.
bool steers_text(char32_t code);

// `text` as it may be printed: U+FFFD replaces each byte that is not UTF-8 and each character that steers_text(),
// except ends of lines and tabs.
std::string printable_text(std::string_view text);

}  // namespace texcast
