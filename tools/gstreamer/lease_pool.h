// lease_pool.h — a GstBufferPool of the memory that the encoder's device reads (FramePool), so that elements upstream
// draw or decode there and no frame is copied.
#pragma once

#include <gst/video/video.h>

#include <memory>

#include "texcast/frame_pool.h"

namespace texcast::gstreamer {

// The caller owns it. Elements that do not understand GstVideoMeta, and those that hold all frames of the pool, get
// other memory, whose frames are copied.
GstBufferPool* make_lease_pool(std::shared_ptr<FramePool> frames);

}  // namespace texcast::gstreamer
