#include "oracle_sample.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <utility>

#include "oracle_transform.h"

namespace oracle {
namespace {

using std::vector;

constexpr int kPredicted = 0, kSubBlock = 1, kLiteral = 2;
// The last seven contexts of "magnitude" in docs/compact.md, and escape_size.
constexpr int kMagnitudeAt = 119, kEscapeAt = 126;

class PlaneReader {
 public:
  PlaneReader(const Decoder::Component& component, const std::array<int, 4>& rect, int set, Symbols& symbols,
              vector<std::byte>& texture, vector<int>& samples, Decoder::Seen& seen)
      : component_(component),
        rect_(rect),
        set_(set),
        symbols_(symbols),
        texture_(texture),
        samples_(samples),
        seen_(seen) {}

  void read(bool has_sources) {
    for (int y = rect_[2]; y < rect_[3]; ++y)
      for (int x = rect_[0]; x < rect_[1]; ++x) read_source(has_sources, x, y);
    for (int v = 4 * rect_[2]; v < 4 * rect_[3]; ++v)
      for (int u = 4 * rect_[0]; u < 4 * rect_[1]; ++u)
        if (sources_[{u / 4, v / 4}] == kPredicted) read_sample(u, v);
    for (int y = rect_[2]; y < rect_[3]; ++y)
      for (int x = rect_[0]; x < rect_[1]; ++x)
        if (sources_[{x, y}] != kSubBlock) fit(x, y);
  }

 private:
  int& sample(int u, int v) { return samples_.at(static_cast<size_t>(v * 4 * component_.blocks_x + u)); }

  void read_source(bool has_sources, int x, int y) {
    int& source = sources_[{x, y}];
    source = has_sources ? symbols_.bits(set_, 2) : kPredicted;
    demand(source <= kLiteral, "there is no such source of samples");
    ++seen_.sample_sources[static_cast<size_t>(source)];
    if (source == kSubBlock) {
      uint64_t sub_block = 0;
      for (int i = 0; i < 8; ++i) sub_block |= static_cast<uint64_t>(symbols_.bits(set_, 8)) << 8 * i;
      put(x, y, sub_block);
      for (int i = 0; i < 16; ++i) sample(4 * x + i % 4, 4 * y + i / 4) = nearest_texel(sub_block, i);
    }
    if (source == kLiteral)
      for (int i = 0; i < 16; ++i) sample(4 * x + i % 4, 4 * y + i / 4) = symbols_.bits(set_, 8);
  }

  int magnitude_at(int u, int v) const {
    const auto found = magnitudes_.find({u, v});
    return found == magnitudes_.end() ? 0 : found->second;
  }

  void read_sample(int u, int v) {
    static const int nears[] = {0, 1, 2, 3, 4, 4, 5, 5, 5, 6};
    const int sum =
        magnitude_at(u - 1, v) + magnitude_at(u - 1, v - 1) + magnitude_at(u, v - 1) + magnitude_at(u + 1, v - 1);
    int magnitude = symbols_.next(set_, kMagnitudeAt + nears[std::min(sum, 9)]);
    if (magnitude == 15) {
      const int size = symbols_.next(set_, kEscapeAt);
      demand(size <= 14, "there is no such escape");
      magnitude = 14 + (1 << size) + (size > 0 ? symbols_.bits(set_, size) : 0);
      demand(magnitude <= 128, "a difference of samples is too large");
    }
    const int difference = magnitude > 0 && symbols_.bits(set_, 1) == 1 ? -magnitude : magnitude;
    magnitudes_[{u, v}] = magnitude;
    sample(u, v) = (prediction(u, v) + difference) & 255;
  }

  int prediction(int u, int v) {
    const bool has_left = u > 4 * rect_[0], has_above = v > 4 * rect_[2];
    if (has_left && has_above) {
      const int l = sample(u - 1, v), a = sample(u, v - 1);
      return std::clamp(l + a - sample(u - 1, v - 1), std::min(l, a), std::max(l, a));
    }
    return has_left ? sample(u - 1, v) : has_above ? sample(u, v - 1) : 128;
  }

  void fit(int x, int y) {
    std::array<int, 16> wanted{};
    for (int i = 0; i < 16; ++i) wanted[static_cast<size_t>(i)] = sample(4 * x + i % 4, 4 * y + i / 4);
    put(x, y, fitted_block(wanted));
  }

  void put(int x, int y, uint64_t sub_block) {
    const size_t at = component_.offset +
                      (static_cast<size_t>(y) * static_cast<size_t>(component_.blocks_x) + static_cast<size_t>(x)) * 8;
    for (size_t i = 0; i < 8; ++i) texture_.at(at + i) = static_cast<std::byte>(sub_block >> 8 * i & 255);
  }

  const Decoder::Component& component_;
  const std::array<int, 4> rect_;
  const int set_;
  Symbols& symbols_;
  vector<std::byte>& texture_;
  vector<int>& samples_;
  Decoder::Seen& seen_;
  std::map<std::pair<int, int>, int> sources_, magnitudes_;
};

}  // namespace

void read_sample_slice(const SampleInput& input, Symbols& symbols, vector<std::byte>& texture, Samples& samples,
                       Decoder::Seen& seen) {
  // All files have the same tables for these bits.
  const int tables = symbols.bits(kTransformSets, 2);
  const bool has_sources = symbols.bits(kTransformSets, 1) == 1;
  demand(tables <= 2, "there are no such tables of samples");
  ++seen.sample_slices;
  for (size_t c = 0; c < 3; ++c) {
    const int set = kTransformSets + 3 * tables + (c == 0 ? 0 : input.components[c]->tables == kChroma444 ? 2 : 1);
    PlaneReader(*input.components[c], input.rects[c], set, symbols, texture, samples[c], seen).read(has_sources);
  }
}

}  // namespace oracle
