// pictures.h — how long it takes to make a picture for another program (NV12, BGRx …) of a texture, from blocks in host
// memory to the picture in host memory.
#pragma once

#include <string>
#include <string_view>

#include "ocl/device.h"
#include "texcast/frame.h"

namespace texcast::bench {

// Times BC1, BC7 and YCoCg-BC4, in all formats of is_picture_format(), on the device and on the CPU, by turns: the
// table of medians over `rounds` pictures of a `width` x `height` sample. `only`: a part of the texture format's name.
std::string picture_table(const ocl::Device& device, int width, int height, std::string_view only, int rounds);

}  // namespace texcast::bench
