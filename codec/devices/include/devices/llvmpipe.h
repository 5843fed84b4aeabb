// llvmpipe.h — detects Mesa's OpenCL on the CPU, which claims to be a GPU and needs special care in some places.
//
// Thread-safe: a function only.
#pragma once

#include "texcast/device.h"

namespace texcast {

inline bool is_llvmpipe(const DeviceInfo& device) { return device.name.find("llvmpipe") != std::string::npos; }

}  // namespace texcast
