// block_check.h — whether blocks are such as an encoder of their format makes. Bytes only. Thread-safe.
#pragma once

#include <optional>
#include <string>

#include "texcast/format.h"

namespace texcast::container {

// What is wrong with the first illegal block and how many there are, or nothing. Of most formats every pattern of
// bits is a legal block; of scaled YCoCg the scale has to be 1, 2 or 4 and the same at both ends of a block.
std::optional<std::string> find_illegal_blocks(const TextureView& texture);

}  // namespace texcast::container
