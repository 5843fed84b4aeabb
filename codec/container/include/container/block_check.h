// block_check.h — checks that blocks are legal in their format. Works on bytes alone. Thread-safe.
#pragma once

#include <optional>
#include <string>

#include "texcast/format.h"

namespace texcast::container {

// Text for a person: how many blocks are of a kind, and where the first one is. Empty if there is none.
struct BlockFindings {
  // In most formats every bit pattern is legal. Scaled YCoCg requires a scale of 1, 2 or 4 that is the same at both
  // ends of a block; ASTC reserves some patterns.
  std::optional<std::string> illegal{};
  // Legal, but decoded to the error colour: ASTC blocks of the HDR profile.
  std::optional<std::string> unshown{};
};
BlockFindings look_at_blocks(const TextureView& texture);

}  // namespace texcast::container
