// profile.h — how long a command took by the device's own clock.
#pragma once

#include "base/frame_times.h"
#include "ocl/opencl.h"

namespace texcast::ocl {

// Zero where the device does not tell.
nanoseconds duration(const cl::Event& event);

}  // namespace texcast::ocl
