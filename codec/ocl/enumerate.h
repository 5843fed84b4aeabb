// enumerate.h — devices with their OpenCL handles, in the order that DeviceInfo::index counts.
#pragma once

#include <vector>

#include "ocl/opencl.h"
#include "texcast/device.h"

namespace texcast::ocl {

struct FoundDevice {
  DeviceInfo info;
  cl::Device device;
};

// Never throws for a platform that is broken: it is passed over. Empty without any OpenCL.
std::vector<FoundDevice> enumerate();

}  // namespace texcast::ocl
