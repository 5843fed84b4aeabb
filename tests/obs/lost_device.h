// lost_device.h — OpenCL devices that are lost: until the end of the scope, each kernel that is enqueued in this
// process fails.
#pragma once

namespace texcast::test {

class LostDevices {
 public:
  LostDevices();
  ~LostDevices();
  LostDevices(const LostDevices&) = delete;
  LostDevices& operator=(const LostDevices&) = delete;
};

}  // namespace texcast::test
