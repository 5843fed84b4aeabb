#include "ocl/device.h"

#include <map>

#include "device_work.h"
#include "enumerate.h"
#include "shared_context.h"

namespace texcast::ocl {

namespace {

cl::Device find(const DeviceInfo& info) {
  for (const FoundDevice& found : enumerate())
    if (found.info.index == info.index && found.info.name == info.name) return found.device;
  throw Error(ErrorKind::no_device, info.name + " is no longer available");
}

cl::Context make_context(const cl::Device& device, const DeviceInfo& info) {
  try {
    return cl::Context(device);
  } catch (const cl::Error& error) {
    throw device_error(error, info);
  }
}

std::shared_ptr<SharedContext> share_context(const std::vector<cl::Device>& devices, const DeviceInfo& info) {
  try {
    return SharedContext::of(devices);
  } catch (const cl::Error& error) {
    throw device_error(error, info);
  }
}

}  // namespace

Device::Device(const DeviceInfo& info)
    : info_(info),
      device_(find(info)),
      context_(make_context(device_, info)),
      work_(std::make_shared<DeviceWork>(info)) {}

Device::Device(const DeviceInfo& info, cl::Device device, std::shared_ptr<SharedContext> shared)
    : info_(info),
      device_(std::move(device)),
      shared_(std::move(shared)),
      context_(shared_->context()),
      work_(std::make_shared<DeviceWork>(info)) {}

void Device::proved() const { work_->proved(); }
bool Device::distrust() const {
  if (shared_) shared_->forget(work_->programs());
  return work_->distrust();
}

std::vector<Device> Device::open_together(const std::vector<DeviceInfo>& infos) {
  std::map<std::string, std::vector<cl::Device>> by_platform;
  for (const DeviceInfo& info : infos) by_platform[info.platform].push_back(find(info));
  std::map<std::string, std::shared_ptr<SharedContext>> contexts;
  for (const DeviceInfo& info : infos)
    if (auto& context = contexts[info.platform]; !context) context = share_context(by_platform[info.platform], info);
  std::vector<Device> opened;
  for (const DeviceInfo& info : infos) opened.push_back(Device(info, find(info), contexts[info.platform]));
  return opened;
}

cl::CommandQueue Device::make_queue(bool has_times) const {
  return cl::CommandQueue(context_, device_, has_times ? CL_QUEUE_PROFILING_ENABLE : cl_command_queue_properties{0});
}

Error device_error(const cl::Error& error, const DeviceInfo& info) {
  return Error(ErrorKind::no_device, std::string(error.what()) + " on " + info.name + ": " + error_name(error.err()) +
                                         " (" + std::to_string(error.err()) + ")");
}

const char* error_name(int code) {
  switch (code) {
    case CL_DEVICE_NOT_FOUND: return "CL_DEVICE_NOT_FOUND";
    case CL_DEVICE_NOT_AVAILABLE: return "CL_DEVICE_NOT_AVAILABLE";
    case CL_COMPILER_NOT_AVAILABLE: return "CL_COMPILER_NOT_AVAILABLE";
    case CL_MEM_OBJECT_ALLOCATION_FAILURE: return "CL_MEM_OBJECT_ALLOCATION_FAILURE";
    case CL_OUT_OF_RESOURCES: return "CL_OUT_OF_RESOURCES";
    case CL_OUT_OF_HOST_MEMORY: return "CL_OUT_OF_HOST_MEMORY";
    case CL_BUILD_PROGRAM_FAILURE: return "CL_BUILD_PROGRAM_FAILURE";
    case CL_MAP_FAILURE: return "CL_MAP_FAILURE";
    case CL_INVALID_VALUE: return "CL_INVALID_VALUE";
    case CL_INVALID_BINARY: return "CL_INVALID_BINARY";
    case CL_INVALID_BUILD_OPTIONS: return "CL_INVALID_BUILD_OPTIONS";
    case CL_INVALID_KERNEL_NAME: return "CL_INVALID_KERNEL_NAME";
    case CL_INVALID_KERNEL_ARGS: return "CL_INVALID_KERNEL_ARGS";
    case CL_INVALID_ARG_SIZE: return "CL_INVALID_ARG_SIZE";
    case CL_INVALID_WORK_GROUP_SIZE: return "CL_INVALID_WORK_GROUP_SIZE";
    case CL_INVALID_EVENT: return "CL_INVALID_EVENT";
    case CL_INVALID_BUFFER_SIZE: return "CL_INVALID_BUFFER_SIZE";
    default: return "OpenCL error";
  }
}

}  // namespace texcast::ocl
