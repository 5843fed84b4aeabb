// kernel_caches.h — manages the kernel caches of this process: which folders its drivers use, which files there are
// damaged, and what an earlier start that died in a driver left behind.
//
// There is one instance per process, because drivers take their folders from its environment.
#pragma once

#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/loop_thread.h"
#include "build_note.h"
#include "driver_cache.h"
#include "ocl/cache.h"
#include "texcast/device.h"

namespace texcast::ocl {

// Thread-safe.
class KernelCaches {
 public:
  static KernelCaches& of_process();
  ~KernelCaches();  // records what drivers have written
  KernelCaches(const KernelCaches&) = delete;
  KernelCaches& operator=(const KernelCaches&) = delete;

  // give_drivers_a_cache() of ocl/cache.h. Only the first call does anything.
  void prepare();
  // Null if the device's driver has no cache that can be guarded.
  DriverCache* driver_cache(const DeviceInfo& device);
  DriverCacheState examine();

  // A driver begins to build, or to load, `program`.
  void build_begins(const DeviceInfo& device, const std::string& program);
  // Frames passed through the results of these builds, or nobody waits for any.
  void builds_proved(const DeviceInfo& device, int builds);
  // These programs must not be used again, as they give wrong results or end the process.
  void forget(const DeviceInfo& device, const std::vector<std::string>& programs);
  void seal();
  // The process is about to end on purpose, perhaps during a build.
  void leave();

 private:
  KernelCaches() = default;
  void give_pocl_a_folder(const CacheChoice& choice);
  void heal(const std::filesystem::path& folder);
  BuildNote& note_of(const DeviceInfo& device);
  void something_happened();
  void take_care(const std::stop_token& stop);

  std::once_flag prepared_;
  BuildNote pocl_note_, note_;  // in PoCL's folder, and in texcast's for all other drivers
  std::optional<DriverCache> pocl_;

  std::mutex mutex_;  // guards the members below
  std::condition_variable_any changed_;
  bool is_watching_ = false;
  SteadyTime last_event_{};
  std::optional<LoopThread> thread_;  // last: it uses the members above
};

}  // namespace texcast::ocl
