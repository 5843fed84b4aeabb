// lossless_block.h — the sub-block that lossless coding codes, and the sink of its symbols. Costs are in 1/32 bits.
#pragma once

#include <cstdint>
#include <optional>

#include "compact/prediction.h"
#include "compact/prediction_block.h"
#include "compact/rans.h"
#include "compact/sub_block_index.h"
#include "compact/symbol_writer.h"
#include "compact/tables.h"
#include "compact/tile_grid.h"
#include "neighbours.h"

namespace texcast::compact {

// A sub-block has fewer symbols: 1 + 1 + 6 * 4 + 1 + 8 + 16.
inline constexpr size_t kMostSubBlockSymbols = 80;

class SymbolSink {
 public:
  SymbolSink(SymbolList& list, const CodingTables& tables) : list_(list), tables_(tables) {}
  // Before the symbols of each sub-block.
  void make_room() { list_.make_room(kMostSubBlockSymbols); }
  void put(int context, int symbol) { list_.put(tables_, context, symbol); }
  void bits(uint32_t value, int count) { put_bits(*this, value, count); }

 private:
  SymbolList& list_;
  const CodingTables& tables_;
};

// Adds up the cost of symbols instead.
class CostSink {
 public:
  explicit CostSink(const CodingTables& tables) : tables_(tables) {}
  void put(int context, int symbol) { cost_ += tables_.cost[context][symbol]; }
  void bits(uint32_t, int count) { cost_ += count * 32; }
  int cost() const { return cost_; }

 private:
  const CodingTables& tables_;
  int cost_ = 0;
};

// Finds the vector of the fewest bits, in blocks, from (x, y) to a sub-block of the reference frame that equals
// `value`. Returns its cost, or nothing if `places` has none.
inline std::optional<int> cheapest_hash_vector(const SubBlockIndex& places, const ReferenceComponent& reference,
                                               const CodingTables& tables, uint64_t value, int x, int y,
                                               MotionVector& vector) {
  std::optional<int> least;
  places.find(value, [&](int px, int py) {
    if (!reference.has(px, py) || reference.sub_block(px, py) != value) return;
    CostSink sink(tables);
    put_vector(sink, true, {px - x, py - y});
    if (least && sink.cost() >= *least) return;
    least = sink.cost();
    vector = {px - x, py - y};
  });
  return least;
}

template <typename SubBlock>
struct LosslessBlock {
  const SubBlockKind kind;
  const CodingTables& tables;
  const bool intra;
  uint64_t value = 0;
  Neighbours neighbours{};
  RecentEndPoints recent{};
  // Inter slices only.
  uint64_t nearest = 0;                // the sub-block of the reference frame that is nearest to the vector
  PredictionBlock<SubBlock> window{};  // the prediction block; loaded for Kind::coded only

  int cost_of(int context, int symbol) const { return tables.cost[context][symbol]; }
};

}  // namespace texcast::compact
