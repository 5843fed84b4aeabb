// pinned_memory.h — host memory that the devices of a context transfer from and to without a copy by the driver.
#pragma once

#include <memory>

#include "ocl/device.h"
#include "texcast/frame_pool.h"

namespace texcast {

// The best memory for frames that `device` reads: pinned memory, or ordinary pages if the device shares the host's
// memory.
std::unique_ptr<FrameMemory> make_frame_memory(const ocl::Device& device);

}  // namespace texcast
