// profile.h — durations of commands by the device's own clock.
#pragma once

#include "ocl/opencl.h"
#include "texcast/frame_times.h"

namespace texcast::ocl {

// Zero if the device does not report it.
nanoseconds duration(const cl::Event& event);
// From the start of `first` to the end of `last`, both of one queue.
nanoseconds duration(const cl::Event& first, const cl::Event& last);
// From when `from` was queued to the start or end of `event`, in the same context.
enum class Moment { start, end };
nanoseconds since_queued(const cl::Event& from, const cl::Event& event, Moment moment);

}  // namespace texcast::ocl
