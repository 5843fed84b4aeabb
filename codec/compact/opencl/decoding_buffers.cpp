#include "decoding_buffers.h"

#include <algorithm>

namespace texcast::compact {

void DecodingBuffers::make_transform_room(const DeviceQueue& queue, size_t count) {
  if (count <= transform_room) return;
  transform_room = std::max(count, transform_room * 3 / 2);
  constexpr size_t kLevels = size_t{TEXCAST_TRANSFORM_BLOCKS} * TEXCAST_COEFFICIENTS;
  const size_t count_of_all = transform_room * TEXCAST_MACROBLOCKS;
  macroblocks = queue.memory(count_of_all * sizeof(texcast_macroblock));
  levels = queue.memory(count_of_all * kLevels * sizeof(cl_short));
}

}  // namespace texcast::compact
