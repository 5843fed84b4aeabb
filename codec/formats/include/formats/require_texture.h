// require_texture.h — checks the texture that is passed to a public function. Throws Error{misuse} in the name of
// `function` (__func__) if a check fails. Thread-safe.
#pragma once

#include <cstddef>
#include <span>

#include "texcast/format.h"

namespace texcast {

// Checks that the format, the colours, the pixel aspect and the orientation are valid, and the sides 1..kMaxFrameSize.
void require_valid(const TextureDesc& desc, const char* function);

// Also checks that the blocks have exactly texture_layout's size.
void require_whole(const TextureView& texture, const char* function);

// Checks that `blocks` has exactly the size of such a texture.
void require_room(const TextureDesc& desc, std::span<const std::byte> blocks, const char* function);

}  // namespace texcast
