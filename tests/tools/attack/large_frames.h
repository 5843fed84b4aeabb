// large_frames.h — compact frames of 4096x4096 in single datagrams, as no encoder makes them: as much work a byte as
// can be, or none.
#pragma once

#include <cstddef>
#include <vector>

#include "texcast/format.h"

namespace texcast::attack {

inline constexpr TextureDesc kLarge{.format = TextureFormat::ycocg_bc4_444, .width = 4096, .height = 4096, .color = {}};

// The first payload of a frame that codes all tiles, or the payload of one that tells of none.
std::vector<std::byte> large_frame(bool tells_all);

}  // namespace texcast::attack
