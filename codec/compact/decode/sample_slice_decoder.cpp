#include "sample_slice_decoder.h"

#include <cstdint>
#include <cstring>
#include <optional>

#include "compact/block_fit.h"
#include "compact/sample_syntax.h"
#include "compact/sub_block.h"
#include "lookup_reader.h"

namespace texcast::compact {
namespace {

using Reader = LookupReader<true>;

std::optional<SampleHeader> read_header(Reader& reader) {
  const uint32_t range = reader.bits(kSampleRangeBits);
  const bool has_sources = reader.bits(1) != 0;
  if (range >= kTransformRanges) return std::nullopt;
  return SampleHeader{static_cast<int>(range), has_sources};
}

class ComponentSamples {
 public:
  ComponentSamples(const TileGrid& grid, const Slice& slice, int c, std::byte* texture, SamplePlanes& samples)
      : component_(grid.component(c)),
        rect_(grid.blocks(component_, slice)),
        c_(c),
        texture_(texture),
        samples_(samples) {}

  // False: the symbols are not valid.
  bool decode(Reader& reader, bool has_sources) {
    if (rect_.count() == 0) return true;
    if (has_sources && !read_sources(reader)) return false;
    SampleMagnitudes magnitudes;
    for (int y = rect_.y0; y < rect_.y1; ++y) {
      for (int row = 0; row < 4; ++row, magnitudes.next_row())
        if (!read_row(reader, 4 * y + row, magnitudes)) return false;
      if (reader.is_short()) return false;
      fit_row(y);
    }
    fits_.finish();
    return true;
  }

 private:
  static constexpr size_t kMostSubBlocks = size_t{kTileWidth / 4} * (kTileHeight / 4);

  SampleSource& source(int x, int y) {
    return sources_[static_cast<size_t>((y - rect_.y0) * (kTileWidth / 4) + x - rect_.x0)];
  }
  uint8_t* sample(int x, int y) { return samples_.at(c_, x, y); }

  // The sources of all sub-blocks, and the literals among them.
  bool read_sources(Reader& reader) {
    for (int y = rect_.y0; y < rect_.y1; ++y)
      for (int x = rect_.x0; x < rect_.x1; ++x) {
        const uint32_t number = reader.bits(kSampleSourceBits);
        if (number >= kSampleSources || reader.is_short()) return false;
        source(x, y) = static_cast<SampleSource>(number);
        if (source(x, y) == SampleSource::sub_block) read_sub_block(reader, x, y);
        if (source(x, y) == SampleSource::literal)
          for (int i = 0; i < 16; ++i) *sample(4 * x + i % 4, 4 * y + i / 4) = static_cast<uint8_t>(reader.bits(8));
      }
    return true;
  }

  void read_sub_block(Reader& reader, int x, int y) {
    uint64_t sub_block = 0;
    for (int byte = 0; byte < 8; ++byte) sub_block |= uint64_t{reader.bits(8)} << 8 * byte;
    store_sub_block(texture_ + component_.at(x, y), sub_block);
    const U8x16 texels = nearest_texels(sub_block);
    for (int i = 0; i < 16; ++i) *sample(4 * x + i % 4, 4 * y + i / 4) = texels[i];
  }

  bool read_row(Reader& shared, int y, SampleMagnitudes& magnitudes) {
    Reader reader = shared;
    const int first = 4 * rect_.x0;
    const ptrdiff_t stride = samples_.stride(c_);
    for (int x = first; x < 4 * rect_.x1; ++x) {
      if (source(x / 4, y / 4) != SampleSource::predicted) continue;
      int magnitude = reader.get(magnitudes.context(x - first));
      if (magnitude == kMagnitudeEscape) {
        const int bits = reader.get(transform_context::kEscape.first);
        if (bits > kMostMagnitudeBits) return false;
        magnitude += (1 << bits) - 1;
        if (bits > 0) magnitude += static_cast<int>(reader.bits(bits));
        if (magnitude > kMostSampleMagnitude) return false;
      }
      const bool is_negative = magnitude > 0 && reader.bits(1) != 0;
      magnitudes.set(x - first, magnitude);
      uint8_t* const at = sample(x, y);
      *at = static_cast<uint8_t>(predicted_sample(at, stride, x > first, y > 4 * rect_.y0) +
                                 (is_negative ? -magnitude : magnitude));
    }
    shared = reader;
    return true;
  }

  void fit_row(int y) {
    for (int x = rect_.x0; x < rect_.x1; ++x) {
      if (source(x, y) == SampleSource::sub_block) continue;
      std::array<uint8_t, 16> of_block;
      for (int row = 0; row < 4; ++row)
        std::memcpy(&of_block[static_cast<size_t>(4 * row)], sample(4 * x, 4 * y + row), 4);
      fits_.add(load_vector<U8x16>(of_block.data()), texture_ + component_.at(x, y));
    }
  }

  const Component& component_;
  const BlockRect rect_;
  const int c_;
  std::byte* const texture_;
  SamplePlanes& samples_;
  std::array<SampleSource, kMostSubBlocks> sources_{};  // all predicted
  FitQueue fits_;
};

}  // namespace

bool decode_sample_slice(const TileGrid& grid, const Slice& slice, Bytes coded, std::byte* texture,
                         SamplePlanes* samples) {
  if (!grid.can_transform() || slice.tiles != 1 || samples == nullptr) return false;
  Reader reader(coded);
  reader.use(transform_lookup_tables(0, grid.component(0).tables));
  const auto header = read_header(reader);
  if (!header) return false;
  for (int c = 0; c < kTransformComponents; ++c) {
    reader.use(transform_lookup_tables(header->range, grid.component(c).tables));
    if (!ComponentSamples(grid, slice, c, texture, *samples).decode(reader, header->has_sources)) return false;
  }
  return reader.ended_well();
}

}  // namespace texcast::compact
