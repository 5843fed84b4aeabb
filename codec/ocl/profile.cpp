#include "ocl/profile.h"

namespace texcast::ocl {

nanoseconds duration(const cl::Event& event) {
  if (event() == nullptr) return {};
  try {
    const auto start = event.getProfilingInfo<CL_PROFILING_COMMAND_START>();
    const auto end = event.getProfilingInfo<CL_PROFILING_COMMAND_END>();
    return nanoseconds(end > start ? static_cast<int64_t>(end - start) : 0);
  } catch (const cl::Error&) {
    return {};  // profiling is a courtesy: its absence must not stop a stream
  }
}

}  // namespace texcast::ocl
