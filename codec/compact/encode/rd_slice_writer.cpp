#include "rd_slice_writer.h"

#include <algorithm>
#include <array>

#include "compact/symbol_writer.h"

namespace texcast::compact {
namespace {

// Adds up the cost of a slice's symbols with the tables of each content.
class ContentCosts {
 public:
  explicit ContentCosts(const TrainingOfContent& with) : with_(with) {}
  void use(TableSet set) {
    for (int i = 0; i < kContents; ++i) tables_[i] = with_[i].tables[static_cast<int>(set)];
  }
  void put(int context, int symbol) {
    for (int i = 0; i < kContents; ++i) costs_[i] += tables_[i]->cost[context][symbol];
  }
  void bits(uint32_t, int) {}  // cost the same with all tables
  Content cheapest() const { return static_cast<Content>(std::ranges::min_element(costs_) - costs_.begin()); }

 private:
  const TrainingOfContent& with_;
  std::array<const CodingTables*, kContents> tables_{};
  std::array<int64_t, kContents> costs_{};
};

class ListWriter {
 public:
  ListWriter(SymbolList& list, const CodingTraining& with) : list_(list), with_(with) {}
  void use(TableSet set) {
    tables_ = with_.tables[static_cast<int>(set)];
    list_.count_into(with_.counts[static_cast<int>(set)]);
  }
  void put(int context, int symbol) {
    list_.make_room(1);
    list_.put(*tables_, context, symbol);
  }
  void bits(uint32_t value, int count) { put_bits(*this, value, count); }

 private:
  SymbolList& list_;
  const CodingTraining& with_;
  const CodingTables* tables_ = nullptr;
};

// Calls `call(x, y)` for the partitions of a slice, row by row. `first`: the slice's blocks in the first component.
template <typename Call>
void for_each_partition(const BlockRect& first, const Call& call) {
  constexpr int kPartition = kPartitionSide / 4;
  const int columns = (first.width() + kPartition - 1) / kPartition,
            rows = (first.height() + kPartition - 1) / kPartition;
  for (int y = 0; y < rows; ++y)
    for (int x = 0; x < columns; ++x) call(x, y);
}

// Adds the tiles at a partition's vector, which is in half pixels.
void add_pixels(const TileGrid& grid, const BlockRect& first, int x, int y, const MotionVector& v,
                ReferencedTiles& referenced) {
  // In pixels, away from zero: interpolation reads no pixel farther away.
  const auto pixels = [](int halves) { return (halves + (halves > 0) - (halves < 0)) / 2; };
  add_partition(grid, first, x, y, {pixels(v.x), pixels(v.y)}, referenced);
}

template <typename Writer>
void put_partitions(Writer& writer, const RdSlice& coded, const Slice& slice, ReferencedTiles* referenced) {
  const BlockRect first = coded.grid.blocks(coded.grid.component(0), slice);
  std::array<Partition, kMostPartitions> partitions{};
  for_each_partition(first, [&](int x, int y) {
    const Partition left = x > 0 ? partitions[y * 4 + x - 1] : Partition{};
    const Partition above = y > 0 ? partitions[(y - 1) * 4 + x] : Partition{};
    Partition& partition = partitions[y * 4 + x];
    partition = {coded.head.vectors[y * 4 + x], !coded.has_symbols[y * 4 + x]};
    const PartitionVector from = partition.vector == MotionVector{} ? PartitionVector::zero
                                 : partition.vector == left.vector  ? PartitionVector::left
                                 : partition.vector == above.vector ? PartitionVector::above
                                                                    : PartitionVector::other;
    writer.put(partition_context(left, above), static_cast<int>(from) + (partition.copied ? kPartitionCopied : 0));
    if (from == PartitionVector::other) {
      const MotionVector& predictor = vector_predictor(x, left, above);
      put_vector(writer, false, {partition.vector.x - predictor.x, partition.vector.y - predictor.y});
    }
    if (referenced != nullptr) add_pixels(coded.grid, first, x, y, partition.vector, *referenced);
  });
}

template <typename Writer>
void put_slice(Writer& writer, const RdSlice& coded, const Slice& slice, const SubBlockSymbols& symbols,
               ReferencedTiles* referenced) {
  const TileGrid& grid = coded.grid;
  const bool intra = coded.head.form.intra;
  writer.use(grid.component(0).tables);
  if (!intra) writer.bits(static_cast<uint32_t>(coded.head.quantiser), 4);
  writer.bits(static_cast<uint32_t>(coded.head.content), 2);
  if (!intra) put_partitions(writer, coded, slice, referenced);
  size_t sub_block = 0;
  for (int i = 0; i < grid.component_count(); ++i) {
    const Component& component = grid.component(i);
    const BlockRect rect = grid.blocks(component, slice);
    writer.use(component.tables);
    for (int y = rect.y0; y < rect.y1; ++y) {
      for (int x = rect.x0; x < rect.x1; ++x, ++sub_block) {
        if (!intra && !coded.has_symbols[partition_of(component, x - rect.x0, y - rect.y0)]) continue;
        for (const uint32_t symbol : symbols.of_sub_block(sub_block))
          writer.put(static_cast<int>(symbol >> 4), static_cast<int>(symbol & 15));
      }
    }
  }
}

}  // namespace

Content cheapest_content(const TrainingOfContent& with, const RdSlice& coded, const Slice& slice,
                         const SubBlockSymbols& symbols) {
  ContentCosts costs(with);
  put_slice(costs, coded, slice, symbols, nullptr);
  return costs.cheapest();
}

void list_symbols(const TrainingOfContent& with, const RdSlice& coded, const Slice& slice,
                  const SubBlockSymbols& symbols, ReferencedTiles* referenced, SymbolList& list) {
  ListWriter writer(list, with[static_cast<size_t>(coded.head.content)]);
  put_slice(writer, coded, slice, symbols, referenced);
}

void add_referenced(const TileGrid& grid, uint32_t tile, const TileVectors& vectors, ReferencedTiles& referenced) {
  const BlockRect first = grid.blocks(grid.component(0), {.tile = tile});
  for_each_partition(first, [&](int x, int y) {
    const MotionVector& v = vectors[static_cast<size_t>(y * 4 + x)];
    add_pixels(grid, first, x, y, is_codable(v) ? v : MotionVector{}, referenced);
  });
}

}  // namespace texcast::compact
