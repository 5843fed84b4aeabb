#include "rd_tables.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <vector>

#include "compact/rd_costs.h"
#include "compact/tables.h"
#include "device_memory.h"

namespace texcast::compact {

RdTables::RdTables(const ocl::Device& device, const TileGrid& grid) {
  std::vector<texcast_lossy_component> of_components;
  std::vector<uint16_t> of_symbols, of_contexts;
  std::vector<uint32_t> of_coder;
  for (int i = 0; i < grid.component_count(); ++i) {
    const RdCosts constants = rd_costs(grid, i);
    texcast_lossy_component component{
        .component = component_argument(grid, grid.component(i)), .weight = constants.weight, .least_range = {}};
    std::ranges::copy(constants.least_range, component.least_range);
    of_components.push_back(component);
  }
  for (size_t content = 0; content < kContents; ++content)
    for (int i = 0; i < grid.component_count(); ++i) {
      const RdCosts constants = rd_costs(grid, i);
      std::ranges::copy(constants.costs[content], std::back_inserter(of_symbols));
      std::ranges::copy(constants.least_costs[content], std::back_inserter(of_contexts));
      std::ranges::copy(lossy_symbol_slots(static_cast<Content>(content), grid.component(i).tables),
                        std::back_inserter(of_coder));
    }
  components = constant_buffer(device, of_components);
  costs = constant_buffer(device, of_symbols);
  least_costs = constant_buffer(device, of_contexts);
  slots = constant_buffer(device, of_coder);
}

}  // namespace texcast::compact
