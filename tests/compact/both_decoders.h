// both_decoders.h — the fast decoder of units beside the plain one, which is the definition.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "plain_slice_decoder.h"
#include "slice_decoder.h"

namespace texcast::compact {

using TextureBytes = std::vector<std::byte>;

struct Outcome {
  bool decoded, all_right;
  TextureBytes texture;
};

// A unit's bytes, and what they are decoded with.
struct UnitToDecode {
  const TileGrid& grid;
  Slice slice;
  Bytes coded;
  bool lossy;
  const std::byte* before;         // nullptr: alone
  const TextureBytes& around;      // what stands in the texture before
  std::span<const uint8_t> right;  // of the tiles of the frame before
};

template <typename Decode>
Outcome outcome(const Decode& decode, const UnitToDecode& what) {
  Outcome out{.decoded = false, .all_right = false, .texture = what.around};
  ReferenceReads read(what.grid, what.right);
  out.decoded = decode(what.grid, what.slice, what.coded, what.lossy, what.before, out.texture.data(), &read);
  out.all_right = read.all_right();
  return out;
}

// Whether both decoders agree; and whether the bytes could be decoded.
inline bool agree(const UnitToDecode& what, bool& decoded) {
  const Outcome plain = outcome(decode_slice_plainly, what);
  const Outcome fast = outcome(decode_slice, what);
  decoded = plain.decoded;
  if (plain.decoded != fast.decoded || plain.all_right != fast.all_right) return false;
  if (plain.decoded) return plain.texture == fast.texture;
  // Refused: what stands in the unit is undefined, what stands beside it is not.
  TextureBytes beside = fast.texture;
  what.grid.for_each_sub_block(what.slice, [&](size_t at) {
    std::copy_n(what.around.begin() + static_cast<ptrdiff_t>(at), 8, beside.begin() + static_cast<ptrdiff_t>(at));
  });
  return beside == what.around;
}

// Bytes that were damaged on their way, in one of four manners by turns: a bit, cut off, longer, or anything at all.
template <typename Random>
std::vector<std::byte> damaged(Bytes whole, int manner, Random& random) {
  std::vector<std::byte> bytes(whole.begin(), whole.end());
  switch (manner % 4) {
    case 0: bytes[random() % bytes.size()] ^= std::byte{1} << random() % 8; break;
    case 1: bytes.resize(random() % bytes.size()); break;
    case 2: bytes.resize(bytes.size() + random() % 5, std::byte{0}); break;
    default:
      for (auto& byte : bytes) byte = static_cast<std::byte>(random());
      break;
  }
  return bytes;
}

}  // namespace texcast::compact
