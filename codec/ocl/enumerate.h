// enumerate.h — devices with their OpenCL handles, in the order of DeviceInfo::index.
#pragma once

#include <vector>

#include "ocl/opencl.h"
#include "texcast/device.h"

namespace texcast::ocl {

struct FoundDevice {
  DeviceInfo info;
  cl::Device device;
};

// Skips platforms that fail, and never throws for them. Empty if there is no OpenCL.
std::vector<FoundDevice> enumerate();

}  // namespace texcast::ocl
