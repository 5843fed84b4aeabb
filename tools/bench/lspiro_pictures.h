// lspiro_pictures.h — what the paper's tables are measured on here; its own pictures are not known.
#pragma once

#include <cstddef>
#include <vector>

#include "texcast/frame.h"

namespace texcast::bench {

// By how many distinct values a channel of a block has: what the time of an insertion sort hangs on.
enum class LspiroPicture {
  smooth,       // slopes with a little noise: a handful
  few_values,   // flat areas and hard edges, as drawings and text have them: two or three
  many_values,  // noise: nearly all 16
  sample,       // tuner::fill_sample()'s
};

// An RGBA frame as stages::place_source has it.
std::vector<std::byte> draw(LspiroPicture picture, const FrameFormat& format);

}  // namespace texcast::bench
