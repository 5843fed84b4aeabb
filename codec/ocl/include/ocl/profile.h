// profile.h — how long a command took by the device's own clock.
#pragma once

#include "ocl/opencl.h"
#include "texcast/frame_times.h"

namespace texcast::ocl {

// Zero where the device does not tell.
nanoseconds duration(const cl::Event& event);
// From the start of the one to the end of the other, both of one queue.
nanoseconds duration(const cl::Event& first, const cl::Event& last);

}  // namespace texcast::ocl
