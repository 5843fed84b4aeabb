// rd_costs.h — the constants of a component for rate-distortion decisions, as tables for kernels.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "compact/content.h"
#include "compact/tile_grid.h"

namespace texcast::compact {

struct RdCosts {
  int weight = 0;                                                  // of squared differences (weight_of())
  std::array<int, 12> least_range{};                               // between fitted end points, by quantiser
  std::array<std::span<const uint16_t>, kContents> costs{};        // by context * 16 + symbol, in 1/32 bits
  std::array<std::span<const uint16_t>, kContents> least_costs{};  // of a context's cheapest symbol
};
RdCosts rd_costs(const TileGrid& grid, int component);

}  // namespace texcast::compact
