// find_coding.h — finds the coding of the blocks, and the texture format, from the fields of a DDS or KTX2 file.
#pragma once

#include <cstdint>
#include <string>

#include "texcast/format.h"

namespace texcast::container {

// Return nullptr for an unknown coding.
const Coding* coding_of_vk(uint32_t vk_format);
const Coding* coding_of_dxgi(uint32_t dxgi_format);
const Coding* coding_of_fourcc(uint32_t value);
const Coding* coding_of_masks(const PixelMasks& masks);
const Coding* coding_of_astc(int block_width, int block_height);

// The format whose blocks are exactly this coding, or nullptr if texcast has no such format.
const Format* plain_format_of(const Coding& coding);
std::string list_codings();  // "BC1, BC3, …": all that a file can hold

}  // namespace texcast::container
