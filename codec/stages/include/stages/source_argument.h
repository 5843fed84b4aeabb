// source_argument.h — describes a source frame for kernels that load it (cl_kernels/common/load.cl).
#pragma once

#include <string>

#include "kernels/layout.h"
#include "texcast/frame.h"

namespace texcast::stages {

// The layout is that of place_source().
texcast_source source_argument(const FrameFormat& format);
// Defines for building the program.
std::string source_defines(const FrameFormat& format);

}  // namespace texcast::stages
