// texture_rows.h — rows of a texture as a texture of their own.
#pragma once

#include <cstddef>
#include <vector>

#include "texcast/format.h"

namespace texcast::gstreamer {

// The least number of rows of pixels that are whole rows of blocks in each plane.
int rows_of_blocks(TextureFormat format);

// The rows `first` to `end` (excluded) of pixels. Both are multiples of rows_of_blocks(), or the texture's height. The
// result refers to `texture`, or to `memory` if there are several planes.
TextureView cut_rows(const TextureView& texture, int first, int end, std::vector<std::byte>& memory);

}  // namespace texcast::gstreamer
