// oracle_symbols.h — the oracle's entropy decoder, and the numbers that symbols stand for.
#pragma once

#include <algorithm>
#include <array>
#include <cstdlib>
#include <vector>

#include "oracle.h"

namespace oracle {

[[noreturn]] inline void damage(const std::string& what) { throw Damage{what}; }
inline void demand(bool is_so, const char* what) {
  if (!is_so) damage(what);
}

// Table sets by their place in the table of docs/compact.md. lossless.txt has no chroma of 4:4:4 of its own.
constexpr int kColor = 0, kScaledChroma = 1, kLuma = 2, kChroma = 3, kAlpha = 4, kChroma444 = 5;

// "Contexts" in the table of docs/compact.md.
constexpr int kVectorAt = 0, kDistanceAt = 4, kKindAt = 40, kEndsAt = 88, kDifferenceAt = 120, kIndicesAt = 936,
              kLevelAt = 1260, kRanksAt = 1261, kFarAt = 1461, kLevelsAt = 1466, kBitsAt = 1551, kPartitionAt = 1555,
              kLossyKindAt = 1567, kTexelsAt = 1647, kContexts = 1755;
// The sets of lossy slices follow the lossless ones: film, screen, fine film.
constexpr int kSetsOfAKind = 6, kLossySets = kSetsOfAKind, kKinds = 4;
// Then those of bc7.txt, bc6h.txt, astc.txt and etc.txt.
constexpr int kOpaqueSets = kSetsOfAKind * kKinds, kBc7 = kOpaqueSets, kBc6h = kBc7 + 2, kAstc = kBc6h + 2,
              kEtc = kAstc + 2, kEac = kEtc + 1;
// Then those of transform slices: fine, medium, coarse; each has luma, chroma and chroma_444.
constexpr int kTransformSets = kEac + 1;
// The contexts that only these have.
constexpr int kSourceAt = 88, kMaskLowAt = 120, kMaskHighAt = 123, kDifferenceLowAt = 171, kDifferenceHighAt = 179,
              kFirstNibbleAt = 307, kNibbleAt = 308, kSecondModeAt = 1555;

using Frequencies = std::array<int, 16>;
const std::vector<std::vector<Frequencies>>& tables();  // [set][context]

class Symbols {
 public:
  Symbols(Bytes bytes, bool lossy) : bytes_(bytes), last_(lossy ? 1 : 65536) {
    state_ = word();
    state_ = state_ * 65536 + word();
  }
  explicit Symbols(RandomSymbols& random) : random_(&random) {}
  // `valid`: a bit for each symbol that is valid there. Only random symbols need it.
  int next(int set, int context, unsigned valid = 0xFFFF) {
    if (random_ != nullptr) return choose(set, context, valid);
    const Frequencies& frequencies = tables()[set][context];
    const uint32_t slot = state_ % 4096;
    uint32_t start = 0;
    int symbol = 0;
    while (start + frequencies[symbol] <= slot) start += frequencies[symbol++];
    state_ = frequencies[symbol] * (state_ / 4096) + slot - start;
    const bool is_left = last_ == 65536 || at_ < bytes_.size();
    if (state_ < 65536 && is_left) state_ = state_ * 65536 + word();
    return symbol;
  }
  void end() const { demand(at_ == bytes_.size() && state_ == last_, "a slice does not end where its bytes do"); }

  // Made-up slices may be transform slices; others may be anything.
  bool may_be_transform() const { return random_ == nullptr || random_->makes_transform; }

  int bits(int set, int count) {
    int value = 0;
    for (int left = count, at = 0; left > 0; left -= 4, at += 4)
      value |= (next(set, kBitsAt + std::min(left, 4) - 1, (1u << (1 << std::min(left, 4))) - 1) &
                ((1 << std::min(left, 4)) - 1))
               << at;
    return value;
  }
  int distance(int set, int context, int& length) {
    length = next(set, context);
    if (length == 0) return 0;
    const int b = bits(set, length);
    const int size = (1 << (length - 1)) + (b >> 1);
    return b % 2 == 1 ? -size : size;
  }
  std::array<int, 2> motion_vector(int set, bool is_hash_copy) {
    const int base = kDistanceAt + (is_hash_copy ? 18 : 0);
    int length = 0, ignored = 0;
    const int x = distance(set, base, length);
    const int y = distance(set, base + 1 + length, ignored);
    return {x, y};
  }
  // The vector of a hash copy. A random one leads from `from` into the plane; others may lead anywhere.
  std::array<int, 2> hash_vector(int set, std::array<int, 2> from, std::array<int, 2> plane) {
    if (random_ == nullptr) return motion_vector(set, true);
    std::array<int, 2> v{};
    int length = 0;
    for (const int axis : {0, 1}) {
      v[axis] = static_cast<int>(random_->random() % plane[axis]) - from[axis];
      const int size = std::abs(v[axis]);
      const int length_of_x = length;
      length = 0;
      while (size >> length != 0) ++length;
      put(set, kDistanceAt + 18 + (axis == 1 ? 1 + length_of_x : 0), length);
      int rest = length == 0 ? 0 : (size - (1 << (length - 1))) * 2 + (v[axis] < 0 ? 1 : 0);
      for (int left = length; left > 0; left -= 4, rest /= 16) put(set, kBitsAt + std::min(left, 4) - 1, rest % 16);
    }
    return v;
  }
  int residual(int set, int context) {
    const int symbol = next(set, context);
    static const int first[] = {12, 16, 32, 96}, count[] = {2, 4, 6, 9};
    const int folded = symbol < 12 ? symbol : first[symbol - 12] + bits(set, count[symbol - 12]);
    return folded % 2 == 1 ? (folded + 1) / 2 : -folded / 2;
  }

 private:
  void put(int set, int context, int symbol) { random_->chosen.push_back({set, context, symbol}); }
  int choose(int set, int context, unsigned valid) {
    int symbol = 0;
    do {
      symbol = static_cast<int>(random_->random() % 16);
      if (random_->likely) {
        int slot = static_cast<int>(random_->random() % 4096);
        for (symbol = 0; slot >= tables()[set][context][symbol]; ++symbol) slot -= tables()[set][context][symbol];
      }
    } while ((valid >> symbol & 1) == 0);
    put(set, context, symbol);
    return symbol;
  }
  uint32_t word() {
    demand(at_ + 2 <= bytes_.size(), "a slice's bytes run out");
    at_ += 2;
    return std::to_integer<uint32_t>(bytes_[at_ - 2]) + 256 * std::to_integer<uint32_t>(bytes_[at_ - 1]);
  }
  RandomSymbols* random_ = nullptr;
  Bytes bytes_;
  uint32_t last_ = 0;  // the state after the last symbol
  size_t at_ = 0;
  uint32_t state_ = 0;
};

}  // namespace oracle
