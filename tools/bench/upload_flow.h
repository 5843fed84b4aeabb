// upload_flow.h — frames from pinned host memory to one device, or to several in turn, several under way; if wanted,
// with other bytes coming back at the same time.
#pragma once

#include <vector>

#include "bench/flow.h"
#include "ocl/device.h"

namespace texcast::bench {

class UploadFlow {
 public:
  // `in_flight` on each of the devices, of which there is at least one; `bytes_back` for each frame, from 0.
  UploadFlow(const std::vector<const ocl::Device*>& devices, size_t frame_bytes, size_t bytes_back, int in_flight);
  ~UploadFlow();
  UploadFlow(const UploadFlow&) = delete;
  UploadFlow& operator=(const UploadFlow&) = delete;
  Flow flow();  // borrows this object

 private:
  // Memory at both ends of one direction.
  struct Way {
    size_t bytes = 0;
    cl::CommandQueue queue{};  // one a device
    cl::Buffer pinned{}, on_device{};
    void* host = nullptr;
    cl::Event done{};
  };
  struct Lane {
    Way up, back;
  };
  static Way make_way(const ocl::Device& device, const cl::CommandQueue& queue, size_t bytes);
  Lane& lane(size_t index) { return lanes_[index % lanes_.size()]; }
  void begin();
  void end();
  std::vector<Lane> lanes_;
  size_t begun_ = 0, ended_ = 0;
};

}  // namespace texcast::bench
