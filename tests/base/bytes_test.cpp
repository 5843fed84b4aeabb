#include "base/bytes.h"

#include <doctest/doctest.h>

#include <array>
#include <vector>

using namespace texcast;

namespace {
std::vector<std::byte> bytes(std::initializer_list<int> values) {
  std::vector<std::byte> out;
  for (const int value : values) out.push_back(static_cast<std::byte>(value));
  return out;
}
}  // namespace

TEST_CASE("integers are read in the byte order that the function's name says") {
  const auto data = bytes({0x01, 0x23, 0x45, 0x67, 0x89, 0xAB, 0xCD, 0xEF});
  CHECK(load_u8(data, 7) == 0xEF);
  CHECK(load_le16(data, 0) == 0x2301);
  CHECK(load_be16(data, 0) == 0x0123);
  CHECK(load_le<3>(data, 1) == 0x674523);
  CHECK(load_be<3>(data, 1) == 0x234567);
  CHECK(load_le32(data, 4) == 0xEFCDAB89u);
  CHECK(load_be32(data, 4) == 0x89ABCDEFu);
  CHECK(load_le64(data, 0) == 0xEFCDAB8967452301u);
  CHECK(load_be64(data, 0) == 0x0123456789ABCDEFu);
}

TEST_CASE("a store writes its own bytes and no others") {
  for (size_t at = 0; at + 4 <= 8; ++at) {
    auto data = bytes({0xEE, 0xEE, 0xEE, 0xEE, 0xEE, 0xEE, 0xEE, 0xEE});
    store_be32(data, at, 0x01020304u);
    for (size_t i = 0; i < data.size(); ++i) {
      const bool inside = i >= at && i < at + 4;
      CHECK(std::to_integer<size_t>(data[i]) == (inside ? i - at + 1 : 0xEE));
    }
  }
}

TEST_CASE("stored values are read back, up to the largest") {
  std::array<std::byte, 8> data{};
  store_le16(data, 1, 0xFFFE);
  CHECK(load_le16(data, 1) == 0xFFFE);
  store_be64(data, 0, 0xFFFFFFFFFFFFFFFEu);
  CHECK(load_be64(data, 0) == 0xFFFFFFFFFFFFFFFEu);
  store_le<3>(data, 5, 0xABCDEF);
  CHECK(load_le<3>(data, 5) == 0xABCDEF);
}

TEST_CASE("a reader returns nothing and does not advance if too few bytes are left") {
  const auto data = bytes({1, 2, 3, 4, 5});
  ByteReader reader(data);
  CHECK(reader.take_be<2>() == 0x0102);
  CHECK_FALSE(reader.take_le<4>());
  CHECK(reader.remaining() == 3);
  CHECK_FALSE(reader.take(SIZE_MAX));  // the largest length that untrusted input can claim
  CHECK(reader.take_le<3>() == 0x050403);
  CHECK(reader.remaining() == 0);
  CHECK(reader.take(0).has_value());
  CHECK_FALSE(reader.take_be<1>());
}
