// oracle_check.h — compares the slice decoder with the oracle, which was written from docs/compact.md alone.
#pragma once

#include <algorithm>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "compact/sample_planes.h"
#include "compact/tables.h"
#include "oracle.h"
#include "sample_slice_decoder.h"
#include "slice_decoder.h"
#include "transform_slice_decoder.h"

namespace texcast::compact {

using TextureBytes = std::vector<std::byte>;

// A slice's bytes, and the arguments that they are decoded with.
struct SliceToDecode {
  const TileGrid& grid;
  Slice slice;
  Bytes coded;
  bool lossy;
  const TextureBytes* reference;  // nullptr: the slice is intra
  const TextureBytes& around;     // the texture before it is decoded
  // Those of the reference frame, if the grid can_transform(); nullptr: those of its blocks.
  const SamplePlanes* samples = nullptr;
  bool is_sample_slice = false;  // then `lossy` is false, and `reference` nullptr
};

inline oracle::Samples of_oracle(const SamplePlanes& planes) {
  oracle::Samples samples;
  for (int c = 0; c < kTransformComponents; ++c) {
    const auto& layout = planes.layout();
    const auto all = planes.all().subspan(layout.offset(c),
                                          static_cast<size_t>(layout.width(c)) * static_cast<size_t>(layout.height(c)));
    samples[static_cast<size_t>(c)].assign(all.begin(), all.end());
  }
  return samples;
}
// Samples of the current frame, before a slice of it is decoded.
inline SamplePlanes samples_around(const TileGrid& grid) {
  SamplePlanes planes(grid);
  std::ranges::fill(planes.all(), uint8_t{77});
  return planes;
}

struct OracleAnswer {
  bool decoded = false;
  TextureBytes texture{};
  std::set<unsigned> referenced{};  // tiles of the reference frame that the slice reads
  oracle::Samples samples{};
};
inline OracleAnswer answer_of_oracle(oracle::Decoder& oracle, const SliceToDecode& what) {
  OracleAnswer answer{.texture = what.around};
  const Slice& slice = what.slice;
  const unsigned coding = what.is_sample_slice ? 5u : (what.lossy ? 3u : 0u) + (what.reference == nullptr ? 1u : 0u);
  const bool has_samples = what.grid.can_transform();
  oracle::Samples reference_samples;
  if (what.samples != nullptr) reference_samples = of_oracle(*what.samples);
  if (has_samples) answer.samples = of_oracle(samples_around(what.grid));
  try {
    oracle.decode_slice({slice.tile, slice.sub_slices, slice.sub_slice, coding, what.coded, slice.tiles},
                        what.reference, answer.texture, what.samples != nullptr ? &reference_samples : nullptr,
                        has_samples ? &answer.samples : nullptr);
    answer.decoded = true;
    answer.referenced = oracle.referenced();
  } catch (const oracle::Damage&) {
    // A damaged slice.
  }
  return answer;
}

// Whether the slice decoder gives the oracle's answer. `right`: of the reference frame's tiles.
inline bool agrees(const SliceToDecode& what, const OracleAnswer& answer, std::span<const uint8_t> right) {
  TextureBytes texture = what.around;
  ReferenceReads reads(what.grid, right);
  const std::byte* const reference = what.reference == nullptr ? nullptr : what.reference->data();
  std::optional<SamplePlanes> of_reference, made;
  if (what.grid.can_transform()) {
    made = samples_around(what.grid);
    of_reference = what.samples != nullptr ? *what.samples : SamplePlanes(what.grid);
    if (what.samples == nullptr && reference != nullptr)
      for (uint32_t tile = 0; tile < what.grid.tiles(); ++tile)
        of_reference->decode(what.grid, {.tile = tile}, reference);
  }
  const SliceSamples samples{of_reference ? &*of_reference : nullptr, made ? &*made : nullptr};
  const bool decoded =
      what.is_sample_slice
          ? decode_sample_slice(what.grid, what.slice, what.coded, texture.data(), samples.made)
          : decode_slice(what.grid, what.slice, what.coded, what.lossy, reference, texture.data(), &reads, samples);
  if (decoded != answer.decoded) return false;
  if (decoded) {
    // Whoever calls it sets the samples of other slices.
    const bool has_samples =
        what.is_sample_slice || (what.lossy && is_transform_slice(what.coded, reference == nullptr));
    if (made && !has_samples) made->decode(what.grid, what.slice, texture.data());
    const bool all_right = std::ranges::all_of(answer.referenced, [&](unsigned tile) { return right[tile] != 0; });
    return texture == answer.texture && reads.all_right() == all_right && (!made || of_oracle(*made) == answer.samples);
  }
  // A damaged slice leaves its own sub-blocks undefined, and must not write others.
  what.grid.for_each_sub_block(what.slice, [&](size_t at) {
    std::copy_n(what.around.begin() + static_cast<ptrdiff_t>(at), 8, texture.begin() + static_cast<ptrdiff_t>(at));
  });
  return texture == what.around;
}

// The tables with the oracle's number of a table set.
inline const CodingTables& tables_of(int number) {
  const auto set = static_cast<TableSet>(number % kTableSets);
  if (number < kTableSets) return coding_tables(set);
  if (const int transform = number - 4 * kTableSets - kOpaqueTableSets; transform >= 0) {
    constexpr TableSet kSets[] = {TableSet::luma, TableSet::chroma, TableSet::chroma_444};
    return transform_tables(transform / 3, kSets[transform % 3]);
  }
  if (const int opaque = number - 4 * kTableSets; opaque >= 0)
    return coding_tables(static_cast<TableSet>(kTableSets + opaque));
  return lossy_tables(static_cast<Content>(number / kTableSets - 1), set);
}

// Bytes that were damaged in transit, in one of four ways by turns: one bit, truncated, extended, or replaced.
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
