// require_texture.h — what a public function asks of the texture that it is given. Error{misuse} in the name of
// `function` (__func__) where it is otherwise. Thread-safe.
#pragma once

#include <cstddef>
#include <span>

#include "texcast/format.h"

namespace texcast {

// A format that there is, sides of 1..kMaxFrameSize; colours, a shape of pixels and a way up that there are.
void require_valid(const TextureDesc& desc, const char* function);

// Besides: blocks of exactly texture_layout's size.
void require_whole(const TextureView& texture, const char* function);

// Memory for the blocks of such a texture, of exactly that size.
void require_room(const TextureDesc& desc, std::span<const std::byte> blocks, const char* function);

}  // namespace texcast
