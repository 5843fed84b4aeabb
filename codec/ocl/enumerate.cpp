#include "enumerate.h"

#include "ocl/cache.h"

namespace texcast::ocl {
namespace {

constexpr uint64_t kLocalBytesNeeded = 16 << 10;

std::string trimmed(std::string text) {
  while (!text.empty() && (text.back() == '\0' || text.back() == ' ')) text.pop_back();
  const size_t start = text.find_first_not_of(' ');
  return start == std::string::npos ? "" : text.substr(start);
}

DeviceInfo describe(const cl::Platform& platform, const cl::Device& device) {
  DeviceInfo info;
  info.platform = trimmed(platform.getInfo<CL_PLATFORM_NAME>());
  info.name = trimmed(device.getInfo<CL_DEVICE_NAME>());
  info.vendor = trimmed(device.getInfo<CL_DEVICE_VENDOR>());
  info.version = trimmed(device.getInfo<CL_DEVICE_VERSION>());
  info.driver = trimmed(device.getInfo<CL_DRIVER_VERSION>());
  info.is_gpu = (device.getInfo<CL_DEVICE_TYPE>() & CL_DEVICE_TYPE_GPU) != 0;
  info.shares_host_memory = device.getInfo<CL_DEVICE_HOST_UNIFIED_MEMORY>() != 0;
  info.compute_units = static_cast<int>(device.getInfo<CL_DEVICE_MAX_COMPUTE_UNITS>());
  info.max_clock_mhz = static_cast<int>(device.getInfo<CL_DEVICE_MAX_CLOCK_FREQUENCY>());
  info.global_bytes = device.getInfo<CL_DEVICE_GLOBAL_MEM_SIZE>();
  info.local_bytes = device.getInfo<CL_DEVICE_LOCAL_MEM_SIZE>();
  info.max_alloc_bytes = device.getInfo<CL_DEVICE_MAX_MEM_ALLOC_SIZE>();
  info.max_group_size = device.getInfo<CL_DEVICE_MAX_WORK_GROUP_SIZE>();
  info.has_images = device.getInfo<CL_DEVICE_IMAGE_SUPPORT>() != 0;
  if (device.getInfo<CL_DEVICE_COMPILER_AVAILABLE>() == 0)
    info.why_not = "it has no compiler";
  else if (info.local_bytes < kLocalBytesNeeded)
    info.why_not = "its local memory is too small";
  else if (info.version.rfind("OpenCL 1.0", 0) == 0 || info.version.rfind("OpenCL 1.1", 0) == 0)
    info.why_not = "it has " + info.version + ", but 1.2 is needed";
  info.usable = info.why_not.empty();
  return info;
}

}  // namespace

std::vector<FoundDevice> enumerate() {
  give_drivers_a_cache();
  std::vector<FoundDevice> found;
  std::vector<cl::Platform> platforms;
  try {
    cl::Platform::get(&platforms);
  } catch (const cl::Error&) {
    return found;  // CL_PLATFORM_NOT_FOUND_KHR: the loader finds no driver
  }
  for (const cl::Platform& platform : platforms) {
    std::vector<cl::Device> devices;
    try {
      platform.getDevices(CL_DEVICE_TYPE_ALL, &devices);
      for (const cl::Device& device : devices) {
        found.push_back({describe(platform, device), device});
        found.back().info.index = static_cast<int>(found.size()) - 1;
      }
    } catch (const cl::Error&) {
      continue;  // CL_DEVICE_NOT_FOUND: a platform without devices
    }
  }
  return found;
}

}  // namespace texcast::ocl
