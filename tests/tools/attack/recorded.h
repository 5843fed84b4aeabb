// recorded.h — judges what was recorded during an attack: which frames and which sound are genuine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "../../transport/forger.h"

namespace texcast::attack {

struct Recorded {
  uint64_t files = 0;
  // Frames of the genuine stream's size and format: complete ones, incomplete ones (blocks of earlier frames or holes),
  // and ones with blocks that the genuine sender did not make.
  uint64_t whole = 0, patched = 0, forged = 0;
  uint64_t other_frames = 0, other_bytes = 0;  // in files of other sizes or formats
  std::optional<uint32_t> first{};             // number of the first complete frame
};
// Reads all .mov files in the folder.
Recorded look_at_marked(const std::string& folder, const transport::test::MarkedFrames& marked);

// For a picture that never changes: frames that differ from the most frequent one, and the longest run of them.
struct Still {
  uint64_t files = 0, frames = 0, wrong = 0, longest = 0;
};
Still look_at_still(const std::string& folder);

// The level of a sample tells who sent it.
inline constexpr float kGenuineLevel = 0.125F, kForgedLevel = 0.5F;
struct Heard {
  double genuine = 0, forged = 0, silent = 0, between = 0;  // seconds
};
Heard listen_to(const std::string& folder);

}  // namespace texcast::attack
