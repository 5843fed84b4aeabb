// large_frames.h — payloads of coded frames of 4096x4096, a datagram each, that no encoder makes.
#pragma once

#include <cstddef>
#include <vector>

#include "texcast/format.h"

namespace texcast::attack {

inline constexpr TextureDesc kLarge{.format = TextureFormat::ycocg_bc4_444, .width = 4096, .height = 4096, .color = {}};

// As much decoding work per byte as the syntax allows: the first payload, a fifth, of a frame in which every tile is a
// motion copy.
std::vector<std::byte> costly_payload();
// All tiles are skipped.
std::vector<std::byte> empty_payload();

}  // namespace texcast::attack
