// transform_costs.h — the costs of the symbols of a transform slice by its tables, in 1/32 bits.
#pragma once

#include <array>
#include <cstdint>

#include "compact/macroblock_symbols.h"
#include "compact/tables.h"
#include "compact/tile_grid.h"

namespace texcast::compact {

// Adds up costs; a sink of put_macroblock() and put_levels().
class TransformCost {
 public:
  void use(const CodingTables& tables) { tables_ = &tables; }
  void put(int context, int symbol) {
    cost_ += tables_->cost[static_cast<size_t>(context)][static_cast<size_t>(symbol)];
  }
  void bits(uint32_t, int count) { cost_ += 32 * count; }
  int total() const { return cost_; }

 private:
  const CodingTables* tables_ = nullptr;
  int cost_ = 0;
};

inline int vector_cost(const CodingTables& tables, const MotionVector& difference) {
  TransformCost cost;
  cost.use(tables);
  put_vector(cost, false, difference);
  return cost.total();
}

}  // namespace texcast::compact
