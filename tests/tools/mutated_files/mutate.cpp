#include "mutate.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace texcast::test {
namespace {

// Returns 0 to most - 1, or 0 if most is 0.
size_t below(size_t most, Random& random) { return most == 0 ? 0 : static_cast<size_t>(random() % most); }

// Half of the positions are near the beginning or end, where headers and indices are.
size_t position(const std::string& bytes, Random& random) {
  constexpr size_t kEdge = 512;
  const size_t edge = std::min(kEdge, bytes.size());
  switch (random() % 4) {
    case 0: return below(edge, random);
    case 1: return bytes.size() - edge + below(edge, random);
    default: return below(bytes.size(), random);
  }
}
// Mostly a few bytes, sometimes up to half of the file.
size_t length(const std::string& bytes, Random& random) {
  return 1 + (random() % 4 == 0 ? below(bytes.size() / 2, random) : below(32, random));
}

void flip_bits(std::string& bytes, Random& random) {
  for (size_t count = 1 + below(16, random); count > 0; --count) {
    char& byte = bytes[position(bytes, random)];
    byte = static_cast<char>(byte ^ (1 << (random() % 8)));
  }
}

// Extreme lengths and counts, in either byte order and 2, 4 or 8 bytes.
void set_to_extreme(std::string& bytes, Random& random) {
  const uint64_t extremes[] = {0,
                               1,
                               2,
                               3,
                               7,
                               8,
                               15,
                               16,
                               0x7F,
                               0xFF,
                               0x7FFF,
                               0xFFFF,
                               0x7FFF'FFFF,
                               0x8000'0000,
                               0xFFFF'FFFF,
                               0xFFFF'FFF0,
                               ~uint64_t{0},
                               uint64_t{1} << 63,
                               bytes.size(),
                               bytes.size() + 1,
                               random()};
  const uint64_t value = extremes[below(std::size(extremes), random)];
  const size_t width = size_t{2} << (random() % 3);
  const bool big_endian = random() % 2 == 0;
  // Boxes and records are mostly at multiples of four.
  size_t at = position(bytes, random);
  if (random() % 2 == 0) at &= ~size_t{3};
  for (size_t i = 0; i < width && at + i < bytes.size(); ++i)
    bytes[at + i] = static_cast<char>(value >> (8 * (big_endian ? width - 1 - i : i)));
}

void overwrite(std::string& bytes, Random& random) {
  const size_t at = position(bytes, random), end = std::min(at + length(bytes, random), bytes.size());
  const bool zeros = random() % 2 == 0;
  for (size_t i = at; i < end; ++i) bytes[i] = zeros ? '\0' : static_cast<char>(random());
}

void change(std::string& bytes, const std::string& other, Random& random) {
  if (bytes.empty()) {
    bytes = other.substr(0, 1 + below(other.size(), random));
    return;
  }
  const size_t at = position(bytes, random), many = length(bytes, random);
  switch (random() % 10) {
    case 0:
    case 1: flip_bits(bytes, random); break;
    case 2: bytes.resize(at); break;                          // cut off the end
    case 3: bytes.erase(at, many); break;                     // remove something in the middle
    case 4: bytes.insert(at, bytes.substr(at, many)); break;  // repeat something
    case 5: overwrite(bytes, random); break;
    case 6: bytes = bytes.substr(0, at) + other.substr(below(other.size(), random)); break;
    case 7: bytes.append(bytes, below(bytes.size(), random), many); break;
    default: set_to_extreme(bytes, random); break;
  }
}

}  // namespace

std::string mutated(const std::string& whole, const std::string& other, Random& random) {
  std::string bytes = whole;
  for (uint64_t changes = 1 + random() % 4; changes > 0; --changes) change(bytes, other, random);
  if (bytes == whole) bytes.pop_back();
  return bytes;
}

std::string as_pcapng(const std::string& pcap) {
  constexpr size_t kFileHeader = 24, kFrameHeader = 16;
  const auto number = [&](size_t at) {
    uint32_t value = 0;
    std::memcpy(&value, pcap.data() + at, sizeof value);
    return value;
  };
  std::string out;
  const auto put = [&](std::initializer_list<uint32_t> words) {
    for (const uint32_t word : words) out.append(reinterpret_cast<const char*>(&word), sizeof word);
  };
  put({0x0A0D0D0A, 28, 0x1A2B3C4D, 0x0000'0001, 0xFFFF'FFFF, 0xFFFF'FFFF, 28});
  put({1, 20, number(20) & 0xFFFF, 0, 20});  // link type; no limit on the packet length
  for (size_t at = kFileHeader; at + kFrameHeader <= pcap.size();) {
    const uint32_t bytes = number(at + 8), padded = (bytes + 3) & ~3u, block = 32 + padded;
    const uint64_t microseconds = uint64_t{number(at)} * 1'000'000 + number(at + 4);
    put({6, block, 0, static_cast<uint32_t>(microseconds >> 32), static_cast<uint32_t>(microseconds), bytes, bytes});
    out.append(pcap, at + kFrameHeader, bytes).append(padded - bytes, '\0');
    put({block});
    at += kFrameHeader + bytes;
  }
  return out;
}

}  // namespace texcast::test
