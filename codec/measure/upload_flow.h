// upload_flow.h — frames from pinned host memory to the device, several under way.
#pragma once

#include <vector>

#include "measure/flow.h"
#include "ocl/device.h"

namespace texcast::measure {

class UploadFlow {
 public:
  UploadFlow(const ocl::Device& device, size_t frame_bytes, int in_flight);
  ~UploadFlow();
  UploadFlow(const UploadFlow&) = delete;
  UploadFlow& operator=(const UploadFlow&) = delete;
  Flow flow();  // borrows this object

 private:
  struct Lane {
    cl::Buffer pinned, on_device;
    void* host = nullptr;
    cl::Event done;
  };
  Lane& lane(size_t index) { return lanes_[index % lanes_.size()]; }
  cl::CommandQueue queue_;
  size_t frame_bytes_;
  std::vector<Lane> lanes_;
  size_t begun_ = 0, ended_ = 0;
};

}  // namespace texcast::measure
