// recorded.h — what a recording under attack has: frames that are the genuine sender's, and others; its sound.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "../../transport/forger.h"

namespace texcast::attack {

struct Recorded {
  uint64_t files = 0;
  uint64_t whole = 0,
           patched = 0;        // frames with all of one frame's blocks, and with some of frames before or with holes
  uint64_t wrong = 0;          // frames that are none of the sender's, also of other sizes and formats
  uint64_t strange_bytes = 0;  // of files of which no frame can be the sender's
  std::optional<uint32_t> first{};  // number of the first whole frame
};
// Of all .mov files in the folder. `marked` sends BC1 of genuine.h's size.
Recorded look_at_marked(const std::string& folder, const transport::test::MarkedFrames& marked);

// Of a picture that stands still: how many frames are not as most are, and how many of them in a row.
struct Still {
  uint64_t files = 0, frames = 0, wrong = 0, longest = 0;
};
Still look_at_still(const std::string& folder);

// Sound of which each sample says whose it is.
inline constexpr float kGenuineLevel = 0.125F, kForgedLevel = 0.5F;
struct Heard {
  double genuine = 0, forged = 0, silent = 0, between = 0;  // seconds
};
Heard listen_to(const std::string& folder);

}  // namespace texcast::attack
