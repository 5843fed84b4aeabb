// The reader of Zstandard frames, against the library that writes them.
#include "zstd_frame.h"

#include <doctest/doctest.h>
#include <zstd.h>

#include <cstring>
#include <random>
#include <vector>

using namespace texcast;
using namespace texcast::stream;

namespace {

std::vector<std::byte> compressed(const std::vector<std::byte>& content, int level) {
  std::vector<std::byte> frame(ZSTD_compressBound(content.size()));
  const size_t bytes = ZSTD_compress(frame.data(), frame.size(), content.data(), content.size(), level);
  REQUIRE(ZSTD_isError(bytes) == 0);
  frame.resize(bytes);
  return frame;
}

// Content of several kinds: constant, noise, few values, text with repetitions, texels of a pointer.
std::vector<std::byte> content(int kind, size_t bytes) {
  std::mt19937 engine(static_cast<unsigned>(kind) + 1);
  const auto random = [&] { return static_cast<unsigned>(engine()); };
  std::vector<std::byte> out(bytes);
  for (size_t i = 0; i < bytes; ++i) {
    unsigned value = 0;
    switch (kind) {
      case 0: value = 7; break;
      case 1: value = random(); break;
      case 2: value = random() % 5 == 0 ? random() % 16 : 0; break;
      case 3:
        value = static_cast<unsigned char>("the quick brown fox jumps over "[(i * i / 50 + random() % 2) % 31]);
        break;
      default:
        value = i % 4 == 3 ? (i / 512 % 3 == 0 ? 255 : 0) : static_cast<unsigned>(i / 64 % 7 * 30 + random() % 2);
    }
    out[i] = static_cast<std::byte>(value);
  }
  return out;
}

}  // namespace

TEST_CASE("frames of zstd are unpacked, of every level, kind and size") {
  for (const int level : {-5, 1, 3, 9, 19})
    for (int kind = 0; kind < 5; ++kind)
      for (const size_t bytes : {1, 4, 300, 4096, 65536, 262144}) {
        CAPTURE(level);
        CAPTURE(kind);
        CAPTURE(bytes);
        const auto expected = content(kind, bytes);
        std::vector<std::byte> out(bytes);
        CHECK(unpack_zstd(compressed(expected, level), out));
        CHECK(out == expected);
      }
}

TEST_CASE("a frame of another size than expected is refused") {
  const auto frame = compressed(content(3, 1000), 3);
  for (const size_t bytes : {999, 1001, 0}) {
    std::vector<std::byte> out(bytes);
    CHECK_FALSE(unpack_zstd(frame, out));
  }
}

TEST_CASE("damaged frames are read within their bounds, and give what zstd gives or nothing") {
  std::mt19937 engine(9);
  const auto random = [&] { return static_cast<unsigned>(engine()); };
  for (int round = 0; round < 3000; ++round) {
    const auto expected = content(2 + round % 3, 3000);
    auto frame = compressed(expected, 1 + round % 19);
    for (unsigned i = 1 + random() % 3; i > 0; --i) frame[random() % frame.size()] = static_cast<std::byte>(random());
    if (round % 3 == 0) frame.resize(random() % frame.size());
    std::vector<std::byte> out(expected.size()), theirs(expected.size());
    const size_t bytes = ZSTD_decompress(theirs.data(), theirs.size(), frame.data(), frame.size());
    const bool is_valid = bytes == theirs.size();  // each refuses some damaged frames that the other one takes
    if (unpack_zstd(frame, out) && is_valid) CHECK(out == theirs);
  }
}
