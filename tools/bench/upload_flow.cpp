#include "upload_flow.h"

#include <cstring>

namespace texcast::bench {

UploadFlow::Way UploadFlow::make_way(const ocl::Device& device, const cl::CommandQueue& queue, size_t bytes) {
  if (bytes == 0) return {};
  Way way{.bytes = bytes, .queue = queue};
  way.pinned = cl::Buffer(device.context(), CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, bytes);
  way.on_device = cl::Buffer(device.context(), CL_MEM_READ_WRITE, bytes);
  way.host = queue.enqueueMapBuffer(way.pinned, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, bytes);
  std::memset(way.host, 0x55, bytes);  // memory that was never written may be one page of zeros, many times
  queue.enqueueWriteBuffer(way.on_device, CL_TRUE, 0, bytes, way.host);
  return way;
}

UploadFlow::UploadFlow(const std::vector<const ocl::Device*>& devices, size_t frame_bytes, size_t bytes_back,
                       int in_flight)
    : lanes_(devices.size() * static_cast<size_t>(in_flight)) {
  struct Queues {
    cl::CommandQueue up, back;
  };
  std::vector<Queues> queues;
  for (const ocl::Device* device : devices) queues.push_back({device->make_queue(), device->make_queue()});
  for (size_t i = 0; i < lanes_.size(); ++i) {
    const size_t d = i % devices.size();
    lanes_[i].up = make_way(*devices[d], queues[d].up, frame_bytes);
    lanes_[i].back = make_way(*devices[d], queues[d].back, bytes_back);
  }
}

UploadFlow::~UploadFlow() {
  try {
    for (Lane& lane : lanes_)
      for (Way* way : {&lane.up, &lane.back}) {
        if (way->host == nullptr) continue;
        way->queue.enqueueUnmapMemObject(way->pinned, way->host);
        way->queue.finish();
      }
  } catch (const cl::Error&) {
    // the device is lost: nothing is left to give back
  }
}

void UploadFlow::begin() {
  Lane& l = lane(begun_++);
  l.up.queue.enqueueWriteBuffer(l.up.on_device, CL_FALSE, 0, l.up.bytes, l.up.host, nullptr, &l.up.done);
  l.up.queue.flush();
  if (l.back.bytes == 0) return;
  l.back.queue.enqueueReadBuffer(l.back.on_device, CL_FALSE, 0, l.back.bytes, l.back.host, nullptr, &l.back.done);
  l.back.queue.flush();
}

void UploadFlow::end() {
  Lane& l = lane(ended_++);
  l.up.done.wait();
  if (l.back.bytes != 0) l.back.done.wait();
}

Flow UploadFlow::flow() {
  return {.begin = [this] { begin(); }, .end = [this] { end(); }, .in_flight = static_cast<int>(lanes_.size())};
}

}  // namespace texcast::bench
