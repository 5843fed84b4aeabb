#include "decoding_tables.h"

#include <algorithm>

#include "base/ensure.h"
#include "compact/contexts.h"
#include "compact/reconstruction_backend.h"
#include "compact/transform_syntax.h"
#include "component_argument.h"
#include "device_memory.h"
#include "kernels/compact.h"

namespace texcast::compact {

static_assert(transform_context::kEnd == TEXCAST_TRANSFORM_LITERAL_CONTEXT &&
              transform_context::kEnd + context::kLiteral.size == TEXCAST_TRANSFORM_CONTEXTS_USED);

DecodingTables::DecodingTables(const ocl::Device& device, const TileGrid& grid) {
  const ReconstructionTables tables = reconstruction_tables(grid);
  components = grid.component_count();
  sets = static_cast<cl_int>(tables.sets);
  std::vector<texcast_decoded_component> of_components;
  for (int i = 0; i < grid.component_count(); ++i) {
    const ReconstructionTables::OfComponent& of = tables.components[static_cast<size_t>(i)];
    texcast_decoded_component component{
        .component = component_argument(grid, grid.component(i)), .tables = of.set, .least_range = {}};
    std::ranges::copy(of.least_range, component.least_range);
    of_components.push_back(component);
    sub_blocks.push_back(static_cast<size_t>(component.component.tile_columns * component.component.tile_rows));
    ENSURE(sub_blocks.back() <= TEXCAST_DECODE_ITEMS);
  }
  descriptions = constant_buffer(device, of_components);
  buckets = constant_buffer(device, tables.buckets);
  starts = constant_buffer(device, tables.starts);
  transform_buckets = buckets;
  transform_starts = starts;
  if (!grid.can_transform()) return;
  transform_buckets = constant_buffer(device, tables.transform_buckets);
  transform_starts = constant_buffer(device, tables.transform_starts);
}

}  // namespace texcast::compact
