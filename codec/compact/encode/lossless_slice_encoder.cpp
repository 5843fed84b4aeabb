#include "lossless_slice_encoder.h"

#include <algorithm>
#include <array>

#include "compact/symbol_writer.h"
#include "lossless_block.h"
#include "lossless_component_encoder.h"
#include "opaque_component_encoder.h"

namespace texcast::compact {
namespace {

constexpr int kPartitionBlocks = kPartitionSide / 4;
int partition_columns(const BlockRect& first) { return (first.width() + kPartitionBlocks - 1) / kPartitionBlocks; }
int partition_rows(const BlockRect& first) { return (first.height() + kPartitionBlocks - 1) / kPartitionBlocks; }

}  // namespace

LosslessSliceEncoder::LosslessSliceEncoder() : with_{} {}

LosslessSliceEncoder::LosslessSliceEncoder(const CodingTraining& training) : with_(training) {}

const CodingTables& LosslessSliceEncoder::tables_of(TableSet set) const {
  const CodingTables* const given = with_.tables[static_cast<int>(set)];
  return given != nullptr ? *given : coding_tables(set);
}

size_t LosslessSliceEncoder::encode(const TileGrid& grid, const Slice& slice, const std::byte* texture,
                                    const Reference& reference, MutableBytes memory) {
  symbols_.clear();
  Reference used = reference;
  std::array<MotionVector, kMostPartitions> vectors{};
  used.vectors = vectors;
  if (reference.texture != nullptr)
    put_vectors(grid, grid.blocks(grid.component(0), slice), reference.vectors, reference.touched, vectors);
  FirstHalves halves;
  for (int i = 0; i < grid.component_count(); ++i) {
    const Component& component = grid.component(i);
    const BlockRect rect = grid.blocks(component, slice);
    symbols_.count_into(with_.counts[static_cast<int>(component.tables)]);
    const CodingTables& tables = tables_of(component.tables);
    const SubBlockIndex* places = reference.places == nullptr ? nullptr : reference.places + i;
    if (component.kind == SubBlockKind::opaque)
      OpaqueComponentEncoder(symbols_, tables, grid, component, rect, texture, used, places, halves).encode();
    else if (component.kind == SubBlockKind::channel)
      LosslessComponentEncoder<ChannelSubBlock>(symbols_, tables, grid, component, rect, texture, used, places)
          .encode();
    else
      LosslessComponentEncoder<ColorSubBlock>(symbols_, tables, grid, component, rect, texture, used, places).encode();
  }
  return symbols_.write(memory);
}

// `coded` gets the vectors, with zero for those that are too long to be coded.
void LosslessSliceEncoder::put_vectors(const TileGrid& grid, const BlockRect& first,
                                       std::span<const MotionVector> vectors, ReferencedTiles* referenced,
                                       std::span<MotionVector> coded) {
  const TableSet set = grid.component(0).tables;
  symbols_.count_into(with_.counts[static_cast<int>(set)]);
  SymbolSink sink(symbols_, tables_of(set));
  for (int y = 0; y < partition_rows(first); ++y) {
    for (int x = 0; x < partition_columns(first); ++x) {
      sink.make_room();
      MotionVector& vector = coded[y * 4 + x];
      vector = vectors[y * 4 + x];
      if (!is_codable(vector)) vector = {};
      const MotionVector left = x > 0 ? coded[y * 4 + x - 1] : MotionVector{};
      const MotionVector above = y > 0 ? coded[(y - 1) * 4 + x] : MotionVector{};
      const PartitionVector symbol = vector == MotionVector{} ? PartitionVector::zero
                                     : vector == left         ? PartitionVector::left
                                     : vector == above        ? PartitionVector::above
                                                              : PartitionVector::other;
      sink.put(vector_context(left, above), static_cast<int>(symbol));
      if (symbol == PartitionVector::other) put_vector(sink, false, vector);
      if (referenced != nullptr) add_partition(grid, first, x, y, vector, *referenced);
    }
  }
}

void add_partition(const TileGrid& grid, const BlockRect& first, int partition_x, int partition_y,
                   const MotionVector& v, ReferencedTiles& referenced) {
  const Component& component = grid.component(0);
  constexpr int kBeside = 8;  // pixels to the nearest block of any component, at most
  const int beside = v == MotionVector{} ? 0 : kBeside;
  const int x = first.x0 * 4 + partition_x * kPartitionSide + v.x,
            y = first.y0 * 4 + partition_y * kPartitionSide + v.y;
  const auto block = [](int pixel, int blocks) { return std::clamp(pixel >> 2, 0, blocks - 1); };
  const int x0 = block(x - beside, component.blocks_x), x1 = block(x + kPartitionSide - 1 + beside, component.blocks_x);
  const int y0 = block(y - beside, component.blocks_y), y1 = block(y + kPartitionSide - 1 + beside, component.blocks_y);
  grid.for_each_tile(component, {x0, y0, x1 + 1, y1 + 1}, [&](uint32_t tile) { referenced.add(tile); });
}

void add_referenced(const TileGrid& grid, const Slice& slice, const TileVectors& of_tile, const BackendSlice& coded,
                    ReferencedTiles& referenced) {
  const BlockRect first = grid.blocks(grid.component(0), slice);
  const auto vectors = std::span(of_tile).subspan(static_cast<size_t>(slice.sub_slice) * 2 / slice.sub_slices * 4);
  for (int y = 0; y < partition_rows(first); ++y)
    for (int x = 0; x < partition_columns(first); ++x) {
      const MotionVector& vector = vectors[y * 4 + x];
      add_partition(grid, first, x, y, is_codable(vector) ? vector : MotionVector{}, referenced);
    }
  for (const uint32_t tile : coded.referenced) referenced.add(tile);
  referenced.any |= coded.references_more;
}

}  // namespace texcast::compact
