// device_work.h — tracks the programs that were built on a device until a frame has passed through them.
#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <vector>

#include "texcast/device.h"

namespace texcast::ocl {

// Thread-safe.
class DeviceWork {
 public:
  explicit DeviceWork(DeviceInfo info);
  ~DeviceWork();  // programs that never got a frame are not waited for any longer
  DeviceWork(const DeviceWork&) = delete;
  DeviceWork& operator=(const DeviceWork&) = delete;

  // The driver builds or loads this program (a content_hash()), from now until proved().
  void begins(const std::string& program);
  // A program that another object of the process built on the device is used.
  void uses(const std::string& program);
  void came_from_cache() { has_kept_ = true; }
  void proved();
  // As Device::distrust().
  bool distrust();
  std::vector<std::string> programs() const;

 private:
  const DeviceInfo info_;
  std::atomic<bool> has_kept_ = false;  // a program came from a cache
  std::atomic<int> unproved_ = 0;
  mutable std::mutex mutex_;
  std::vector<std::string> programs_;
};

}  // namespace texcast::ocl
