// source_argument.h — a source frame as kernels that load it (cl_kernels/common/load.cl) are told of it.
#pragma once

#include <string>

#include "kernels/layout.h"
#include "texcast/frame.h"

namespace texcast::stages {

// Lies as place_source() says.
texcast_source source_argument(const FrameFormat& format);
// For the program's build.
std::string source_defines(const FrameFormat& format);

}  // namespace texcast::stages
