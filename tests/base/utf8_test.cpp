// Expected values are from RFC 3629's table of well-formed sequences, and Unicode's properties Cc, Zl, Zp and
// Bidi_Control.
#include "base/utf8.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>

using namespace texcast;

TEST_CASE("characters of one to four bytes are decoded, malformed sequences are not") {
  const auto code = [](const std::string& text) { return static_cast<uint32_t>(first_character(text).code); };
  CHECK(code("a") == 0x61);
  CHECK(code("\u00E9x") == 0xE9);
  CHECK(code("\u20AC") == 0x20AC);
  CHECK(code("\U0001F3A5") == 0x1F3A5);
  CHECK(code("\U0010FFFF") == 0x10FFFF);
  CHECK(first_character("\u20ACx").bytes == 3);
  for (const std::string wrong : {"", "\x80", "\xC0\xAF", "\xC3", "\xE2\x82", "\xE0\x80\xAF", "\xED\xA0\x80",
                                  "\xF4\x90\x80\x80", "\xF8\x88\x80\x80\x80", "\xFF", "\xC3x"})
    CHECK(first_character(wrong).bytes == 0);
}

TEST_CASE(
    "control characters and those that set a text direction are recognised; letters and joiners are not among them") {
  for (char32_t c = 0; c < 0x20; ++c) CHECK(steers_text(c));
  for (char32_t c = 0x20; c < 0x7F; ++c) CHECK_FALSE(steers_text(c));
  for (char32_t c = 0x7F; c < 0xA0; ++c) CHECK(steers_text(c));
  // Bidi_Control
  for (const char32_t c :
       {0x061C, 0x200E, 0x200F, 0x202A, 0x202B, 0x202C, 0x202D, 0x202E, 0x2066, 0x2067, 0x2068, 0x2069})
    CHECK(steers_text(c));
  for (const char32_t c : {0x2028, 0x2029, 0xFEFF, 0x200B, 0xE0001, 0xE007F}) CHECK(steers_text(c));
  for (const char32_t c : {0xA0, 0xE4, 0x3B1, 0x5D0, 0x627, 0x200C, 0x200D, 0x2010, 0x4E2D, 0xE000, 0x1F3A5})
    CHECK_FALSE(steers_text(c));
}

TEST_CASE("U+FFFD replaces characters that a terminal would obey, and bytes that are not UTF-8") {
  CHECK(printable_text("Saal \u00E4, 1\t2\n") == "Saal \u00E4, 1\t2\n");
  CHECK(printable_text("a\x1b[31mb\r") == "a\uFFFD[31mb\uFFFD");
  CHECK(printable_text("x\u202Ey\u009B") == "x\uFFFDy\uFFFD");
  CHECK(printable_text("caf\xE9.mov") == "caf\uFFFD.mov");
  CHECK(printable_text("").empty());
}
