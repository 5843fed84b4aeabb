#include "shared_context.h"

#include <algorithm>

namespace texcast::ocl {
namespace {

struct InUse {
  std::vector<cl_device_id> devices;
  std::weak_ptr<SharedContext> context;
};

}  // namespace

std::shared_ptr<SharedContext> SharedContext::of(const std::vector<cl::Device>& devices) {
  static std::mutex mutex;
  static std::vector<InUse> in_use;
  std::vector<cl_device_id> ids;
  for (const cl::Device& device : devices) ids.push_back(device());
  const std::lock_guard lock(mutex);
  std::erase_if(in_use, [](const InUse& one) { return one.context.expired(); });
  for (const InUse& one : in_use)
    if (one.devices == ids)
      if (auto context = one.context.lock()) return context;
  auto context = std::make_shared<SharedContext>(devices);
  in_use.push_back({std::move(ids), context});
  return context;
}

std::optional<BuiltProgram> SharedContext::find(const std::string& program, const cl::Device& device) const {
  const std::lock_guard lock(mutex_);
  const auto found = built_.find({program, device()});
  return found == built_.end() ? std::nullopt : std::optional(found->second);
}

void SharedContext::add(const std::string& program, const cl::Device& device, BuiltProgram built) {
  const std::lock_guard lock(mutex_);
  built_.insert_or_assign({program, device()}, std::move(built));
}

void SharedContext::forget(const std::vector<std::string>& programs) {
  const std::lock_guard lock(mutex_);
  std::erase_if(built_, [&](const auto& one) { return std::ranges::count(programs, one.first.first) > 0; });
}

}  // namespace texcast::ocl
