#include "sha256.h"

#include <array>
#include <bit>
#include <vector>

namespace texcast {
namespace {

// First 32 bits of the fractional part of the prime's square root (cube root for the round constants), by integer
// search, which needs no rounding.
uint32_t root_fraction(uint32_t prime, int degree) {
  __extension__ using Wide = unsigned __int128;
  // largest x with x^degree <= prime * 2^(32*degree); its low 32 bits are the fraction
  uint64_t x = 0;
  for (int bit = 36; bit >= 0; --bit) {
    const uint64_t trial = x | uint64_t{1} << bit;
    const Wide square = Wide{trial} * trial;  // of 36-bit numbers; their cubes have 108 bits
    const bool fits = degree == 2 ? square <= Wide{prime} << 64 : square * trial <= Wide{prime} << 96;
    if (fits) x = trial;
  }
  return static_cast<uint32_t>(x);
}

std::vector<uint32_t> primes(size_t count) {
  std::vector<uint32_t> found;
  for (uint32_t n = 2; found.size() < count; ++n) {
    bool prime = true;
    for (const uint32_t p : found) prime &= n % p != 0;
    if (prime) found.push_back(n);
  }
  return found;
}

struct Constants {
  std::array<uint32_t, 64> round{};
  std::array<uint32_t, 8> start{};
  Constants() {
    const auto p = primes(64);
    for (size_t i = 0; i < 64; ++i) round[i] = root_fraction(p[i], 3);
    for (size_t i = 0; i < 8; ++i) start[i] = root_fraction(p[i], 2);
  }
};

void compress(std::array<uint32_t, 8>& state, Bytes block, const Constants& k) {
  std::array<uint32_t, 64> w{};
  for (size_t i = 0; i < 16; ++i) w[i] = load_be32(block, 4 * i);
  for (size_t i = 16; i < 64; ++i) {
    const uint32_t a = w[i - 15], b = w[i - 2];
    w[i] = w[i - 16] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ a >> 3) + w[i - 7] +
           (std::rotr(b, 17) ^ std::rotr(b, 19) ^ b >> 10);
  }
  auto s = state;
  for (size_t i = 0; i < 64; ++i) {
    const uint32_t e = s[4], a = s[0];
    const uint32_t t1 =
        s[7] + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) + ((e & s[5]) ^ (~e & s[6])) + k.round[i] + w[i];
    const uint32_t t2 =
        (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]));
    s = {t1 + t2, s[0], s[1], s[2], s[3] + t1, s[4], s[5], s[6]};
  }
  for (size_t i = 0; i < 8; ++i) state[i] += s[i];
}

}  // namespace

std::string sha256_hex(Bytes bytes) {
  static const Constants constants;
  auto state = constants.start;
  const size_t whole = bytes.size() / 64 * 64;
  for (size_t at = 0; at < whole; at += 64) compress(state, bytes.subspan(at, 64), constants);
  std::vector<std::byte> rest(bytes.begin() + static_cast<std::ptrdiff_t>(whole), bytes.end());
  rest.push_back(std::byte{0x80});
  while (rest.size() % 64 != 56) rest.push_back(std::byte{0});
  rest.resize(rest.size() + 8);
  store_be64(rest, rest.size() - 8, uint64_t{bytes.size()} * 8);
  for (size_t at = 0; at < rest.size(); at += 64) compress(state, Bytes(rest).subspan(at, 64), constants);
  std::string hex;
  for (const uint32_t word : state)
    for (int shift = 28; shift >= 0; shift -= 4) hex += "0123456789abcdef"[word >> shift & 15];
  return hex;
}

}  // namespace texcast
