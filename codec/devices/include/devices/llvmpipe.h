// llvmpipe.h — Mesa's OpenCL on the CPU, which says that it is a GPU, and asks for caution here and there.
//
// Thread-safe: a function only.
#pragma once

#include "texcast/device.h"

namespace texcast {

inline bool is_llvmpipe(const DeviceInfo& device) { return device.name.find("llvmpipe") != std::string::npos; }

}  // namespace texcast
