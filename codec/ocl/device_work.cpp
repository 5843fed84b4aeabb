#include "device_work.h"

#include <utility>

#include "kernel_caches.h"

namespace texcast::ocl {

DeviceWork::DeviceWork(DeviceInfo info) : info_(std::move(info)) {}

DeviceWork::~DeviceWork() { proved(); }

void DeviceWork::uses(const std::string& program) {
  const std::lock_guard lock(mutex_);
  programs_.push_back(program);
}

std::vector<std::string> DeviceWork::programs() const {
  const std::lock_guard lock(mutex_);
  return programs_;
}

void DeviceWork::begins(const std::string& program) {
  uses(program);
  ++unproved_;
  KernelCaches::of_process().build_begins(info_, program);
}

void DeviceWork::proved() {
  if (unproved_ == 0) return;
  if (const int builds = unproved_.exchange(0); builds > 0) KernelCaches::of_process().builds_proved(info_, builds);
}

bool DeviceWork::distrust() {
  const std::lock_guard lock(mutex_);
  KernelCaches::of_process().forget(info_, programs_);
  return has_kept_;
}

}  // namespace texcast::ocl
