#include "bc7_bits.h"

#include <utility>

#include "base/ensure.h"

namespace texcast::ref::bc7 {
namespace {

class Bc7Writer {
 public:
  void put(int value, int count) {
    for (int i = 0; i < count; ++i, ++at_)
      block_[at_ / 8] = static_cast<uint8_t>(block_[at_ / 8] | (value >> i & 1) << (at_ % 8));
  }
  const Bc7Block& block() const {
    ENSURE(at_ == 128);
    return block_;
  }

 private:
  Bc7Block block_{};
  size_t at_ = 0;
};

// One set of indices of a given number of bits, for texels in a number of subsets.
struct IndexSet {
  Indices indices;
  int bits, subsets, partition;

  bool is_anchor(size_t texel) const {
    return texel == bc7_anchor(subsets, partition, bc7_subset(subsets, partition, texel));
  }

  // If the anchor's index is not in the lower half, the subset's end points are exchanged.
  void anchor(int subset, Ends& ends) {
    const int last = (1 << bits) - 1;
    if (indices[bc7_anchor(subsets, partition, subset)] <= last / 2) return;
    std::swap(ends.low, ends.high);
    for (size_t i = 0; i < 16; ++i)
      if (bc7_subset(subsets, partition, i) == subset) indices[i] = last - indices[i];
  }

  void put(Bc7Writer& out) const {
    for (size_t i = 0; i < 16; ++i) out.put(indices[i], bits - (is_anchor(i) ? 1 : 0));
  }
};

}  // namespace

Bc7Block pack(const Choice& choice, const Indices& indices, const Indices& apart) {
  const Bc7Mode& m = kBc7Modes[static_cast<size_t>(choice.mode)];
  const bool has_rotation = m.rotation_bits > 0, is_second = choice.selector == 1;
  IndexSet set{indices, is_second ? m.second_index_bits : m.index_bits, m.subsets, choice.partition};
  IndexSet other{apart, is_second ? m.index_bits : m.second_index_bits, 1, 0};
  std::array<Ends, 3> ends = choice.ends;
  for (int s = 0; s < m.subsets; ++s) set.anchor(s, ends[static_cast<size_t>(s)]);
  if (has_rotation) {
    Ends alone = choice.apart;
    other.anchor(0, alone);
    ends[0].low[kAlpha] = alone.low[0];
    ends[0].high[kAlpha] = alone.high[0];
  }
  Bc7Writer out;
  out.put(1 << choice.mode, choice.mode + 1);
  out.put(choice.partition, m.partition_bits);
  out.put(choice.rotation, m.rotation_bits);
  out.put(choice.selector, m.selector_bits);
  const auto count = static_cast<size_t>(m.subsets);
  for (const size_t c : kChannels)
    for (size_t s = 0; s < count; ++s)
      for (const Channels& end : {ends[s].low, ends[s].high}) {
        const int bits = c < kAlpha ? m.color_bits : m.alpha_bits;
        out.put(end[c] >> (8 - bits), bits);
      }
  if (m.p_bits != PBits::none)
    for (size_t s = 0; s < count; ++s) {
      const int color_bits = m.color_bits + 1;
      out.put(ends[s].low[0] >> (8 - color_bits), 1);
      if (m.p_bits == PBits::per_end) out.put(ends[s].high[0] >> (8 - color_bits), 1);
    }
  // The set with fewer bits comes first.
  if (!is_second) set.put(out);
  if (has_rotation) other.put(out);
  if (is_second) set.put(out);
  return out.block();
}

// In mode 5 every 8-bit value is one of 7 bits, or is between two of them at index 1.
Bc7Block flat_block(const Channels& texel) {
  Choice choice{.mode = 5};
  for (size_t c = 0; c < kAlpha; ++c) {
    const int low = texel[c] >> 1, shown = bc7_expand(low, 7);
    const int high = shown == texel[c] ? low : shown < texel[c] ? low + 1 : low - 1;
    choice.ends[0].low[c] = bc7_expand(low, 7);
    choice.ends[0].high[c] = bc7_expand(high, 7);
  }
  choice.apart.low[0] = choice.apart.high[0] = texel[kAlpha];
  Indices ones{};
  ones.fill(1);
  return pack(choice, ones, {});
}

}  // namespace texcast::ref::bc7
