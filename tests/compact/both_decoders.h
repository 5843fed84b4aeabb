// both_decoders.h — compares the product's slice decoder with the simple one, which defines the format.
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

// The bytes of a slice, and the inputs for decoding them.
struct SliceToDecode {
  const TileGrid& grid;
  Slice slice;
  Bytes coded;
  bool lossy;
  const std::byte* reference;      // nullptr: there is no reference frame
  const TextureBytes& around;      // the content of the texture before decoding
  std::span<const uint8_t> right;  // which tiles of the reference frame are valid
};

template <typename Decode>
Outcome outcome(const Decode& decode, const SliceToDecode& input) {
  Outcome out{.decoded = false, .all_right = false, .texture = input.around};
  ReferenceReads read(input.grid, input.right);
  out.decoded = decode(input.grid, input.slice, input.coded, input.lossy, input.reference, out.texture.data(), &read);
  out.all_right = read.all_right();
  return out;
}

// Whether both decoders agree. `decoded`: whether the bytes could be decoded.
inline bool agree(const SliceToDecode& input, bool& decoded) {
  const Outcome simple = outcome(decode_slice_plainly, input);
  const Outcome fast = outcome(decode_slice, input);
  decoded = simple.decoded;
  if (simple.decoded != fast.decoded || simple.all_right != fast.all_right) return false;
  if (simple.decoded) return simple.texture == fast.texture;
  // After an error the sub-blocks of the slice are undefined, but all others are unchanged.
  TextureBytes others = fast.texture;
  input.grid.for_each_sub_block(input.slice, [&](size_t at) {
    std::copy_n(input.around.begin() + static_cast<ptrdiff_t>(at), 8, others.begin() + static_cast<ptrdiff_t>(at));
  });
  return others == input.around;
}

// Damages bytes in one of four manners: a flipped bit, truncated, extended, or random bytes.
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
