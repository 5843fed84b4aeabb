#include "ocl/profile.h"

namespace texcast::ocl {

nanoseconds duration(const cl::Event& event) { return duration(event, event); }

nanoseconds duration(const cl::Event& first, const cl::Event& last) {
  if (first() == nullptr || last() == nullptr) return {};
  try {
    const auto start = first.getProfilingInfo<CL_PROFILING_COMMAND_START>();
    const auto end = last.getProfilingInfo<CL_PROFILING_COMMAND_END>();
    return nanoseconds(end > start ? static_cast<int64_t>(end - start) : 0);
  } catch (const cl::Error&) {
    return {};  // profiling is optional: its absence must not stop a stream
  }
}

nanoseconds since_queued(const cl::Event& from, const cl::Event& event, Moment moment) {
  if (from() == nullptr || event() == nullptr) return {};
  try {
    const auto queued = static_cast<int64_t>(from.getProfilingInfo<CL_PROFILING_COMMAND_QUEUED>());
    const auto at = moment == Moment::start ? event.getProfilingInfo<CL_PROFILING_COMMAND_START>()
                                            : event.getProfilingInfo<CL_PROFILING_COMMAND_END>();
    return nanoseconds(static_cast<int64_t>(at) - queued);
  } catch (const cl::Error&) {
    return {};
  }
}

}  // namespace texcast::ocl
