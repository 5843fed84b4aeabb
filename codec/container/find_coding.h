// find_coding.h — from what a DDS or KTX2 file says to the coding of its blocks, and to the texture format.
#pragma once

#include <cstdint>
#include <string>

#include "texcast/format.h"

namespace texcast::container {

// nullptr: none that is known.
const Coding* coding_of_vk(uint32_t vk_format);
const Coding* coding_of_dxgi(uint32_t dxgi_format);
const Coding* coding_of_fourcc(uint32_t value);
const Coding* coding_of_masks(const PixelMasks& masks);
const Coding* coding_of_astc(int block_width, int block_height);

// The format whose blocks are just this coding; nullptr: blocks that texcast has no format for.
const Format* plain_format_of(const Coding& coding);
std::string list_codings();  // "BC1, BC3, …" that a file can hold

}  // namespace texcast::container
