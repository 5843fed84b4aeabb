#include "upload_flow.h"

#include <cstring>

namespace texcast::measure {

UploadFlow::UploadFlow(const ocl::Device& device, size_t frame_bytes, int in_flight)
    : queue_(device.make_queue()), frame_bytes_(frame_bytes), lanes_(static_cast<size_t>(in_flight)) {
  for (Lane& lane : lanes_) {
    lane.pinned = cl::Buffer(device.context(), CL_MEM_READ_ONLY | CL_MEM_ALLOC_HOST_PTR, frame_bytes);
    lane.on_device = cl::Buffer(device.context(), CL_MEM_READ_ONLY, frame_bytes);
    lane.host = queue_.enqueueMapBuffer(lane.pinned, CL_TRUE, CL_MAP_WRITE, 0, frame_bytes);
    std::memset(lane.host, 0x55, frame_bytes);  // memory that was never written may be one page of zeros, many times
  }
}

UploadFlow::~UploadFlow() {
  try {
    for (Lane& lane : lanes_)
      if (lane.host != nullptr) queue_.enqueueUnmapMemObject(lane.pinned, lane.host);
    queue_.finish();
  } catch (const cl::Error&) {
    // the device is lost: nothing is left to give back
  }
}

Flow UploadFlow::flow() {
  return {.begin =
              [this] {
                Lane& l = lane(begun_++);
                queue_.enqueueWriteBuffer(l.on_device, CL_FALSE, 0, frame_bytes_, l.host, nullptr, &l.done);
                queue_.flush();
              },
          .end = [this] { lane(ended_++).done.wait(); },
          .in_flight = static_cast<int>(lanes_.size())};
}

}  // namespace texcast::measure
