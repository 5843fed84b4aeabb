#include "device_queue.h"

#include <vector>

namespace texcast::compact {

DeviceQueue::~DeviceQueue() {
  try {
    send();
    sent_.wait();
  } catch (const cl::Error&) {
    // the device is lost, and so is its memory
  }
}

void DeviceQueue::launch(const cl::Kernel& kernel, size_t items, Stage& stage, size_t group) const {
  launch_groups(kernel, (items + group - 1) / group, group, stage);
}

void DeviceQueue::launch_components(const cl::Kernel& kernel, size_t items, size_t count, Stage& stage) const {
  const size_t rounded = (items + kUsualGroup - 1) / kUsualGroup * kUsualGroup;
  queue_.enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(rounded, count), cl::NDRange(kUsualGroup, 1), nullptr,
                              event(stage));
}

void DeviceQueue::launch_groups(const cl::Kernel& kernel, size_t groups, size_t group, Stage& stage) const {
  queue_.enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(groups * group), cl::NDRange(group), nullptr,
                              event(stage));
}

void DeviceQueue::send() {
  queue_.enqueueMarkerWithWaitList(nullptr, &sent_);
  queue_.flush();
}

void DeviceQueue::wait() const {
  if (sent_() != nullptr) wait(sent_);
}

void DeviceQueue::wait(const cl::Event& event) const {
  event.wait();
  device_.proved();
}

cl::Event DeviceQueue::marker() const {
  cl::Event marker;
  queue_.enqueueMarkerWithWaitList(nullptr, &marker);
  return marker;
}

void DeviceQueue::wait_on_device(const cl::Event& event) const {
  const std::vector<cl::Event> events{event};
  queue_.enqueueBarrierWithWaitList(&events);
}

}  // namespace texcast::compact
