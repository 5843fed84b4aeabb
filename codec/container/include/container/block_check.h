// block_check.h — whether blocks are such as an encoder of their format makes. Bytes only. Thread-safe.
#pragma once

#include <optional>
#include <string>

#include "texcast/format.h"

namespace texcast::container {

// For a person: how many blocks there are of a kind, and where the first is; nothing where there are none.
struct BlockFindings {
  // Of most formats every pattern of bits is a legal block; of scaled YCoCg the scale has to be 1, 2 or 4 and the same
  // at both ends of a block, and ASTC has patterns that are reserved.
  std::optional<std::string> illegal{};
  // Legal and decoded to the error colour: of ASTC what only its HDR profile has.
  std::optional<std::string> unshown{};
};
BlockFindings look_at_blocks(const TextureView& texture);

}  // namespace texcast::container
