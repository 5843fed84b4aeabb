// shared_context.h — a context and the programs that were built in it, for all encoders of a process that use the
// device.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ocl/opencl.h"
#include "texcast/device.h"

namespace texcast::ocl {

// A program that is built for a device.
struct BuiltProgram {
  cl::Program program;
  bool from_cache = false;  // so compiling it again may help if it gives wrong results
};

// Thread-safe.
class SharedContext {
 public:
  explicit SharedContext(const std::vector<cl::Device>& devices) : context_(devices) {}
  // The context of these devices, which exists as long as anybody has a share in it. Throws cl::Error.
  static std::shared_ptr<SharedContext> of(const std::vector<cl::Device>& devices);

  const cl::Context& context() const { return context_; }
  // `program`: content_hash() of all that it is built from. Devices of the same name have the same hash, and each needs
  // a program of its own.
  std::optional<BuiltProgram> find(const std::string& program, const cl::Device& device) const;
  void add(const std::string& program, const cl::Device& device, BuiltProgram built);
  // On all devices.
  void forget(const std::vector<std::string>& programs);

 private:
  const cl::Context context_;
  mutable std::mutex mutex_;
  std::map<std::pair<std::string, cl_device_id>, BuiltProgram> built_;
};

}  // namespace texcast::ocl
