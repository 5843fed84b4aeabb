// The program's tools for serving browsers, without a server: addresses, offers, QR codes, users of ports.
#include "common/web_gate.h"

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/descriptor.h"
#include "common/port_user.h"
#include "common/qr_code.h"
#include "texcast/error.h"
#include "text/qr_lines.h"

using namespace texcast;
using namespace texcast::cli;

namespace {

// ---- a reader of QR codes, written after ISO/IEC 18004:2015, for versions 1 to 5 with error correction level L ----

using Matrix = std::vector<std::vector<bool>>;  // true: dark

// The modules that lines of half blocks show, dark on light.
Matrix modules_of(const std::vector<std::string>& lines) {
  Matrix rows;
  for (const std::string& line : lines) {
    std::vector<bool> upper, lower;
    for (size_t at = 0; at < line.size();) {
      const bool is_blank = line[at] == ' ';
      const std::string glyph = line.substr(at, is_blank ? 1 : 3);
      at += glyph.size();
      const bool is_full = glyph == "\xE2\x96\x88", is_upper = glyph == "\xE2\x96\x80",
                 is_lower = glyph == "\xE2\x96\x84";
      REQUIRE((is_blank || is_full || is_upper || is_lower));
      upper.push_back(is_full || is_upper);
      lower.push_back(is_full || is_lower);
    }
    rows.push_back(upper);
    rows.push_back(lower);
  }
  return rows;
}

// Without the quiet zone, which must be there: four light modules on every side.
Matrix without_quiet_zone(const Matrix& all) {
  const size_t width = all.at(0).size(), side = width - 8;
  REQUIRE(width > 8 + 20);
  REQUIRE(all.size() >= width);
  Matrix inner;
  for (size_t y = 0; y < all.size(); ++y) {
    REQUIRE(all[y].size() == width);
    for (size_t x = 0; x < width; ++x)
      if (y < 4 || y >= 4 + side || x < 4 || x >= 4 + side) CHECK_FALSE(all[y][x]);
    if (y >= 4 && y < 4 + side) inner.emplace_back(all[y].begin() + 4, all[y].end() - 4);
  }
  return inner;
}

bool is_masked(int mask, size_t y, size_t x) {
  switch (mask) {
    case 0: return (y + x) % 2 == 0;
    case 1: return y % 2 == 0;
    case 2: return x % 3 == 0;
    case 3: return (y + x) % 3 == 0;
    case 4: return (y / 2 + x / 3) % 2 == 0;
    case 5: return y * x % 2 + y * x % 3 == 0;
    case 6: return (y * x % 2 + y * x % 3) % 2 == 0;
    default: return ((y + x) % 2 + y * x % 3) % 2 == 0;
  }
}

// Finders with separators and format, timing, and the alignment pattern.
bool is_function(size_t side, size_t y, size_t x) {
  if ((y < 9 && x < 9) || (y < 9 && x >= side - 8) || (y >= side - 8 && x < 9) || y == 6 || x == 6) return true;
  return side > 21 && y + 9 >= side && y + 5 <= side && x + 9 >= side && x + 5 <= side;
}

// In GF(256) with x^8 + x^4 + x^3 + x^2 + 1.
uint8_t product(uint8_t a, uint8_t b) {
  unsigned sum = 0;
  for (unsigned bit = 0, power = a; bit < 8; ++bit, power = power << 1U ^ ((power & 0x80U) != 0 ? 0x11DU : 0U))
    if ((b >> bit & 1U) != 0) sum ^= power;
  return static_cast<uint8_t>(sum);
}

std::string read_qr(const Matrix& code) {
  const size_t side = code.size();
  const size_t version = (side - 17) / 4;
  REQUIRE((side - 17) % 4 == 0);
  REQUIRE(version <= 5);
  // Around the upper left finder, the most significant bit first.
  unsigned format = 0;
  for (size_t i = 0; i < 15; ++i) {
    const bool bit = i < 6 ? code[8][i] : i < 8 ? code[8][i + 1] : i == 8 ? code[7][8] : code[14 - i][8];
    format = format << 1U | (bit ? 1U : 0U);
  }
  format ^= 0x5412U;
  REQUIRE((format >> 13U) == 1);  // level L
  const int mask = static_cast<int>(format >> 10U & 7U);

  std::vector<uint8_t> words;
  unsigned word = 0, bits = 0;
  bool upwards = true;
  for (size_t pair = side - 1; pair > 0 && pair < side; pair -= 2, upwards = !upwards) {
    if (pair == 6) pair = 5;  // the timing pattern's column belongs to no pair
    for (size_t step = 0; step < side; ++step)
      for (const size_t x : {pair, pair - 1}) {
        const size_t y = upwards ? side - 1 - step : step;
        if (is_function(side, y, x)) continue;
        word = word << 1U | (code[y][x] != is_masked(mask, y, x) ? 1U : 0U);
        if (++bits % 8 == 0) words.push_back(static_cast<uint8_t>(word & 0xFFU));
      }
  }
  constexpr std::array<size_t, 6> kWords{0, 26, 44, 70, 100, 134}, kChecks{0, 7, 10, 15, 20, 26};
  REQUIRE(words.size() == kWords[version]);
  uint8_t root = 1;  // every power of the generator's roots must be a root of the message
  for (size_t i = 0; i < kChecks[version]; ++i, root = product(root, 2)) {
    uint8_t value = 0;
    for (const uint8_t one : words) value = static_cast<uint8_t>(product(value, root) ^ one);
    CHECK(value == 0);
  }
  const auto bits_at = [&](size_t at, size_t count) {
    unsigned value = 0;
    for (size_t i = at; i < at + count; ++i) value = value << 1U | (words.at(i / 8) >> (7 - i % 8) & 1U);
    return value;
  };
  REQUIRE(bits_at(0, 4) == 4);  // bytes
  std::string text;
  for (size_t i = 0; i < bits_at(4, 8); ++i) text += static_cast<char>(bits_at(12 + 8 * i, 8));
  return text;
}

void check_bad_address(const std::string& url, const std::string& part) {
  CAPTURE(url);
  CHECK_THROWS_WITH_AS(parse_web_address(url), doctest::Contains(part.c_str()), Error);
}

}  // namespace

TEST_CASE("addresses for browsers have a host, a port, both or neither") {
  CHECK(parse_web_address("web://") == WebAddress{.host = "", .port = 8080});
  CHECK(parse_web_address("web://:80") == WebAddress{.host = "", .port = 80});
  CHECK(parse_web_address("web://192.0.2.1") == WebAddress{.host = "192.0.2.1", .port = 8080});
  CHECK(parse_web_address("web://studio:0/") == WebAddress{.host = "studio", .port = 0});
  CHECK(parse_web_address("web://[::1]:65535") == WebAddress{.host = "[::1]", .port = 65535});
  CHECK(parse_web_address("web://[fd00::2]") == WebAddress{.host = "[fd00::2]", .port = 8080});
}

TEST_CASE("an address for browsers that is none is an error that says what to give") {
  for (const std::string port : {"65536", "x", "-1", "", "80x", " 80"})
    check_bad_address("web://studio:" + port,
                      port == " 80" ? "more than a host and a port" : "the port must be a number");
  check_bad_address("web://::1:8080", "brackets");
  check_bad_address("web://[::1:8080", "brackets");
  check_bad_address("web://studio/page", "more than a host and a port");
  check_bad_address("web://me@studio", "more than a host and a port");
  check_bad_address("http://studio", "web://:PORT");
}

TEST_CASE("an offer names the families of a format") {
  const web::StreamOffer bc1 = offer_of(TextureFormat::bc1, true, false);
  CHECK(bc1.name == "bc1");
  CHECK(bc1.families == std::vector<std::string>{"s3tc"});
  CHECK(bc1.has_sound);
  CHECK_FALSE(bc1.is_sealed);
  CHECK(offer_of(TextureFormat::etc2, false, true).families == std::vector<std::string>{"etc2"});
}

TEST_CASE("QR codes of texts of all lengths that an address has are read back") {
  for (const size_t length : {1U, 17U, 18U, 25U, 32U, 33U, 53U, 54U, 78U, 79U, 106U}) {
    CAPTURE(length);
    const std::string url = ("http://192.168.178.120:8080/#link=" + std::string(80, 'x') + "y").substr(0, length);
    const auto code = qr_code(url);
    REQUIRE(code);
    const std::vector<std::string> lines = qr_lines(*code);
    CHECK(lines.size() == static_cast<size_t>((code->side + 2 * kQrQuietZone + 1) / 2));
    CHECK(read_qr(without_quiet_zone(modules_of(lines))) == url);
  }
  CHECK_FALSE(qr_code(std::string(3000, 'x')));
}

TEST_CASE("the program that has a port is named, and a free port is found") {
  const Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  REQUIRE(::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  socklen_t length = sizeof address;
  REQUIRE(::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &length) == 0);
  const uint16_t port = ntohs(address.sin_port);
  CHECK_FALSE(user_of_port(port));  // bound, but nobody listens
  REQUIRE(::listen(socket.get(), 1) == 0);
  const auto user = user_of_port(port);
  REQUIRE(user);
  CHECK(user->find("(process " + std::to_string(::getpid()) + ")") != std::string::npos);
  if (port < 65535) CHECK(unused_port_from(port) > port);
}
