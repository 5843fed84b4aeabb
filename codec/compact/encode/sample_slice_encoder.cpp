#include "sample_slice_encoder.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>

#include "compact/block_fit.h"
#include "compact/simd.h"
#include "compact/sub_block.h"
#include "compact/symbol_writer.h"

namespace texcast::compact {
namespace {

std::array<uint8_t, 16> of_sub_block(const uint8_t* first, size_t stride) {
  std::array<uint8_t, 16> of{};
  for (size_t row = 0; row < 4; ++row) std::memcpy(&of[4 * row], first + row * stride, 4);
  return of;
}

bool are_of(uint64_t sub_block, const std::array<uint8_t, 16>& samples) {
  const U8x16 texels = nearest_texels(sub_block);
  return std::memcmp(&texels, samples.data(), samples.size()) == 0;
}

}  // namespace

// Lists the symbols of one component.
class SampleSliceEncoder::Writer {
 public:
  Writer(std::vector<Listed>& listed, int component) : listed_(listed), component_(static_cast<uint16_t>(component)) {}
  void put(int context, uint32_t symbol) {
    listed_.push_back({component_, static_cast<uint16_t>(context), static_cast<uint8_t>(symbol)});
  }
  void bits(uint32_t value, int count) { put_bits(*this, value, count); }

 private:
  std::vector<Listed>& listed_;
  const uint16_t component_;
};

bool SampleSliceEncoder::is_of_blocks(uint32_t tile, const std::byte* texture, std::span<const uint8_t> samples) {
  for (int c = 0; c < kTransformComponents; ++c) {
    const Component& component = grid_.component(c);
    const auto stride = static_cast<size_t>(layout_.width(c));
    const BlockRect rect = grid_.blocks(component, {.tile = tile});
    for (int y = rect.y0; y < rect.y1; ++y)
      for (int x = rect.x0; x < rect.x1; ++x)
        if (!are_of(load_sub_block(texture + component.at(x, y)),
                    of_sub_block(sample(samples, c, 4 * x, 4 * y), stride)))
          return false;
  }
  return true;
}

size_t SampleSliceEncoder::encode(const Slice& slice, const std::byte* texture, std::span<const uint8_t> samples,
                                  bool as_literals, MutableBytes memory) {
  for (int c = 0; c < kTransformComponents; ++c)
    find_sources(c, grid_.blocks(grid_.component(c), slice), texture, samples, as_literals);
  listed_.clear();
  for (int c = 0; c < kTransformComponents; ++c)
    list_component(c, grid_.blocks(grid_.component(c), slice), texture, samples);
  const int range = best_range();
  std::array<const CodingTables*, kTransformComponents> tables{};
  for (int c = 0; c < kTransformComponents; ++c)
    tables[static_cast<size_t>(c)] = &transform_tables(range, grid_.component(c).tables);
  symbols_.clear();
  symbols_.make_room(listed_.size() + 2);
  symbols_.put(*tables[0], literal_context(kSampleRangeBits), range);
  symbols_.put(*tables[0], literal_context(1), has_sources() ? 1 : 0);
  for (const Listed& of : listed_) symbols_.put(*tables[of.component], of.context, of.symbol);
  return symbols_.write(memory, kLossyEndState);
}

void SampleSliceEncoder::find_sources(int c, const BlockRect& rect, const std::byte* texture,
                                      std::span<const uint8_t> samples, bool as_literals) {
  const Component& component = grid_.component(c);
  auto& sources = sources_[c];
  sources.clear();
  std::array<U8x16, kTileWidth / 4> wanted;
  std::array<FittedBlock, kTileWidth / 4> fitted;
  for (int y = rect.y0; y < rect.y1; ++y) {
    for (int x = rect.x0; x < rect.x1; ++x)
      wanted[static_cast<size_t>(x - rect.x0)] = load_vector<U8x16>(
          of_sub_block(sample(samples, c, 4 * x, 4 * y), static_cast<size_t>(layout_.width(c))).data());
    fit_blocks(wanted.data(), rect.width(), fitted.data());
    for (int x = rect.x0; x < rect.x1; ++x) {
      const bool is_fitted =
          fitted[static_cast<size_t>(x - rect.x0)].sub_block == load_sub_block(texture + component.at(x, y));
      sources.push_back(!is_fitted    ? SampleSource::sub_block
                        : as_literals ? SampleSource::literal
                                      : SampleSource::predicted);
    }
  }
}

bool SampleSliceEncoder::has_sources() const {
  return std::ranges::any_of(sources_, [](const auto& of_component) {
    return std::ranges::any_of(of_component, [](SampleSource source) { return source != SampleSource::predicted; });
  });
}

void SampleSliceEncoder::list_component(int c, const BlockRect& rect, const std::byte* texture,
                                        std::span<const uint8_t> samples) {
  if (rect.count() == 0) return;
  Writer writer(listed_, c);
  if (has_sources()) {
    size_t i = 0;
    for (int y = rect.y0; y < rect.y1; ++y)
      for (int x = rect.x0; x < rect.x1; ++x) list_source(writer, c, x, y, sources_[c][i++], texture, samples);
  }
  list_samples(writer, c, rect, samples);
}

void SampleSliceEncoder::list_source(Writer& writer, int c, int x, int y, SampleSource source, const std::byte* texture,
                                     std::span<const uint8_t> samples) const {
  writer.bits(static_cast<uint32_t>(source), kSampleSourceBits);
  const auto put_bytes = [&](const auto& bytes) {
    for (const auto byte : bytes) writer.bits(static_cast<uint32_t>(byte), 8);
  };
  if (source == SampleSource::sub_block) put_bytes(std::span(texture + grid_.component(c).at(x, y), 8));
  if (source == SampleSource::literal)
    put_bytes(of_sub_block(sample(samples, c, 4 * x, 4 * y), static_cast<size_t>(layout_.width(c))));
}

void SampleSliceEncoder::list_samples(Writer& writer, int c, const BlockRect& rect,
                                      std::span<const uint8_t> samples) const {
  SampleMagnitudes magnitudes;
  for (int y = 4 * rect.y0; y < 4 * rect.y1; ++y, magnitudes.next_row())
    for (int x = 4 * rect.x0; x < 4 * rect.x1; ++x) {
      const int column = x - 4 * rect.x0;
      const size_t of =
          static_cast<size_t>(y / 4 - rect.y0) * static_cast<size_t>(rect.width()) + static_cast<size_t>(column / 4);
      if (sources_[c][of] != SampleSource::predicted) continue;
      const uint8_t* const at = sample(samples, c, x, y);
      const int prediction = predicted_sample(at, layout_.width(c), column > 0, y > 4 * rect.y0);
      const auto difference = static_cast<int8_t>(*at - prediction);
      const int magnitude = std::abs(int{difference});
      writer.put(magnitudes.context(column), static_cast<uint32_t>(std::min(magnitude, kMagnitudeEscape)));
      if (magnitude >= kMagnitudeEscape) {
        const auto more = static_cast<uint32_t>(magnitude - kMagnitudeEscape + 1);
        const int bits = bit_length(more) - 1;
        writer.put(transform_context::kEscape.first, static_cast<uint32_t>(bits));
        if (bits > 0) writer.bits(more - (1u << bits), bits);
      }
      if (magnitude > 0) writer.bits(difference < 0 ? 1 : 0, 1);
      magnitudes.set(column, magnitude);
    }
}

// The tables with which the slice is shortest.
int SampleSliceEncoder::best_range() const {
  std::array<uint64_t, kTransformRanges> costs{};
  for (int range = 0; range < kTransformRanges; ++range) {
    std::array<const CodingTables*, kTransformComponents> tables{};
    for (int c = 0; c < kTransformComponents; ++c)
      tables[static_cast<size_t>(c)] = &transform_tables(range, grid_.component(c).tables);
    for (const Listed& of : listed_)
      costs[static_cast<size_t>(range)] += tables[of.component]->cost[of.context][of.symbol];
  }
  return static_cast<int>(std::ranges::min_element(costs) - costs.begin());
}

}  // namespace texcast::compact
