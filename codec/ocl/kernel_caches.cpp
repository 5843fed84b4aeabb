#include "kernel_caches.h"

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <system_error>

#include "base/log.h"
#include "base/step_back.h"
#include "binary_cache.h"
#include "cache_files.h"
#include "driver_variables.h"

namespace texcast::ocl {
namespace {

namespace fs = std::filesystem;

// PoCL compiles at first launches too. For kWatched after a build or a launch its files are checked every kPause.
constexpr auto kWatched = std::chrono::seconds(60), kPause = std::chrono::seconds(2);
// A kernel that waits longer than that for its first frame is not what ends the process.
constexpr auto kLongestNote = std::chrono::seconds(30);

void set_where_unset(const char* name, const std::string& value) { setenv(name, value.c_str(), 0); }

}  // namespace

KernelCaches& KernelCaches::of_process() {
  static KernelCaches caches;
  return caches;
}

KernelCaches::~KernelCaches() {
  thread_.reset();
  seal();
}

void KernelCaches::prepare() {
  std::call_once(prepared_, [this] {
    const CacheChoice choice = choose_cache();
    if (choice.is_news && choice.path.empty())
      log_warning("compiled kernels are not cached: {}", choice.why);
    else if (choice.is_news)
      log_warning("compiled kernels are cached in {} until the next restart, because {}", choice.path, choice.why);
    give_pocl_a_folder(choice);
    if (!choice.path.empty()) heal(choice.path);
    if (pocl_) heal(pocl_->folder());
    if (variable("POCL_KERNEL_CACHE").value_or("1") == "0") pocl_.reset();  // it does not read its cache
  });
}

// PoCL has no device at all if it cannot write its cache.
void KernelCaches::give_pocl_a_folder(const CacheChoice& choice) {
  if (const auto folder = folder_in(kPoclFolder)) {
    pocl_.emplace(*folder, false);
    return;
  }
  if (variable(kPoclFolder) || choice.path.empty()) return;
  const fs::path own = fs::path(choice.path) / "pocl";
  if (!make_own_folder(own)) return;
  set_where_unset(kPoclFolder, own.string());
  pocl_.emplace(own, true);
}

void KernelCaches::heal(const fs::path& folder) {
  const bool is_of_pocl = pocl_ && folder == pocl_->folder();
  // Before the notes that were left are locked, which would look like another process's.
  const bool others_build = is_of_pocl && pocl_note_.others_build_in(folder);
  for (const BuildNote::Left& left : BuildNote::left_in(folder)) {
    const WithoutCache* const without = without_cache(left.driver);
    log_warning("an earlier start ended while {} was building kernels; their cached files are not used any more",
                left.driver.empty() ? "a driver" : left.driver);
    if (others_build) {
      // They may be building the same programs, so nothing is removed now.
      set_where_unset(without_cache(kPoclPlatform)->variable, without_cache(kPoclPlatform)->value);
      continue;
    }
    if (left.driver == kPoclPlatform && pocl_)
      pocl_->forget(left.programs, left.since);
    else if (without != nullptr)
      set_where_unset(without->variable, without->value);
    for (const std::string& program : left.programs) remove_cache_file(binary_file(program));
    std::error_code ignored;
    fs::remove(left.file, ignored);
  }
}

DriverCache* KernelCaches::driver_cache(const DeviceInfo& device) {
  prepare();
  return keeps_programs(device) && pocl_ ? &*pocl_ : nullptr;
}

DriverCacheState KernelCaches::examine() {
  prepare();
  if (!pocl_) return {};
  const DriverCache::State found = pocl_->examine();
  return {.folder = pocl_->folder().string(),
          .programs = found.programs,
          .removed = found.removed,
          .danger = danger_of(pocl_->folder())};
}

BuildNote& KernelCaches::note_of(const DeviceInfo& device) { return keeps_programs(device) ? pocl_note_ : note_; }

void KernelCaches::build_begins(const DeviceInfo& device, const std::string& program) {
  const DriverCache* const cache = driver_cache(device);
  note_of(device).begin(cache != nullptr ? cache->folder() : fs::path(choose_cache().path), device.platform, program);
  something_happened();
}

void KernelCaches::builds_proved(const DeviceInfo& device, int builds) {
  note_of(device).end(builds);
  something_happened();
}

void KernelCaches::forget(const DeviceInfo& device, const std::vector<std::string>& programs) {
  if (DriverCache* const cache = driver_cache(device)) cache->forget(programs, std::numeric_limits<int64_t>::max());
  for (const std::string& program : programs) remove_cache_file(binary_file(program));
}

void KernelCaches::seal() {
  if (pocl_) pocl_->seal();
}

void KernelCaches::leave() {
  seal();
  for (BuildNote* note : {&pocl_note_, &note_}) note->drop();
}

void KernelCaches::something_happened() {
  const std::lock_guard lock(mutex_);
  last_event_ = steady_now();
  is_watching_ = true;
  if (!thread_) thread_.emplace([this](const std::stop_token& stop) { take_care(stop); });
  changed_.notify_all();
}

// Runs on the thread.
void KernelCaches::take_care(const std::stop_token& stop) {
  step_back();
  std::unique_lock lock(mutex_);
  while (changed_.wait(lock, stop, [this] { return is_watching_; })) {
    changed_.wait_for(lock, stop, kPause, [] { return false; });
    if (stop.stop_requested()) return;  // the destructor does the rest
    is_watching_ = steady_now() - last_event_ < kWatched;
    lock.unlock();
    seal();
    for (BuildNote* note : {&pocl_note_, &note_}) note->end_before(steady_now() - kLongestNote);
    lock.lock();
  }
}

void give_drivers_a_cache() { KernelCaches::of_process().prepare(); }

void leave_caches() { KernelCaches::of_process().leave(); }

DriverCacheState examine_driver_cache() { return KernelCaches::of_process().examine(); }

std::string driver_cache_complaint() {
  const auto pocl = folder_in(kPoclFolder);
  if (pocl && !can_be_written(*pocl))
    return "POCL_CACHE_DIR, '" + pocl->string() + "', is not writable, and PoCL has no device then";
  if (!pocl && choose_cache().path.empty())
    return "no cache folder is writable, and PoCL has no device then; set XDG_CACHE_HOME to a writable folder";
  return {};
}

bool keeps_programs(const DeviceInfo& device) { return device.platform == kPoclPlatform; }

std::string device_key(const DeviceInfo& device) {
  return device.platform + "\n" + device.version + "\n" + device.name + "\n" + device.driver + "\n";
}

}  // namespace texcast::ocl
