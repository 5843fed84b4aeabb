// pinned_memory.h — host memory that the devices of a context transfer from and to without the driver's own copy.
#pragma once

#include <memory>

#include "ocl/device.h"
#include "texcast/frame_pool.h"

namespace texcast {

// What frames for `device` are best read from: pinned memory, or plain pages where the device shares the host's.
std::unique_ptr<FrameMemory> make_frame_memory(const ocl::Device& device);

}  // namespace texcast
