#include "device_ledger.h"

#include <fmt/core.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "check.h"
#include "data_folder.h"
#include "kernel_source.h"
#include "ledger/object_list.h"
#include "ledger/surroundings.h"
#include "ocl/cache.h"
#include "ocl/program.h"
#include "texcast/device.h"
#include "texcast/error.h"

namespace check {
namespace {

using namespace texcast;

constexpr int kDays = 30;
constexpr size_t kMostEntries = 20000;  // of about ten kilobytes each
constexpr std::string_view kProgram = "program ", kEveryKernel = "every kernel", kData = "data ";

// This thread reads kernels only to compare them.
bool& comparing() {
  thread_local bool comparing = false;
  return comparing;
}

std::string hash_of_input(const std::string& name) {
  try {
    if (name == kEveryKernel) return test::hash_of_text(ocl::kernel_sources_hash());
    if (name.starts_with(kData)) return test::hash_of_file(test::data_file(name.substr(kData.size())));
    if (!name.starts_with(kProgram)) return {};
    const std::string rest = name.substr(kProgram.size());
    return test::hash_of_text(ocl::program_source(rest.substr(0, rest.find(' '))));
  } catch (const Error&) {
    return {};  // the kernel does not exist any more
  }
}

std::string hash_now(const std::string& name) {
  comparing() = true;
  const std::string hash = hash_of_input(name);
  comparing() = false;
  return hash;
}

std::string device_lines() {
  std::string lines;
  for (const DeviceInfo& d : list_devices())
    lines += fmt::format("device {} {}; {}; {}; {}; {}; {} units, local {}, group {}, images {}, usable {}\n", d.index,
                         d.platform, d.name, d.vendor, d.version, d.driver, d.compute_units, d.local_bytes,
                         d.max_group_size, d.has_images, d.usable);
  return lines + fmt::format("under test {}\n", device().info().index);
}

std::string surroundings() {
  std::ifstream maps("/proc/self/maps"), cpuinfo("/proc/cpuinfo");
  const std::string libraries = test::mapped_libraries(maps, std::filesystem::read_symlink("/proc/self/exe").string());
  return device_lines() + libraries + test::driver_files(test::usual_driver_files(libraries)) +
         test::processor(cpuinfo) + test::environment(environ);
}

}  // namespace

std::unique_ptr<test::CaseLedger> DeviceLedger::make_cases() {
  auto cases =
      std::make_unique<test::CaseLedger>(ledger_, test::ReachedObjects(test::object_list()), surroundings(), hash_now);
  ocl::observe_programs([cases = cases.get(), folder = ocl::kernel_folder()](
                            const std::string& path, const std::string& options, const std::string& text) {
    if (comparing()) return;
    // A case with kernels in a folder of its own always runs, as they are deleted with the case.
    const bool own = ocl::kernel_folder() != folder;
    cases->note_input(path.empty() ? std::string(kEveryKernel) : fmt::format("{}{} {}", kProgram, path, options),
                      own ? "" : test::hash_of_text(text));
  });
  return cases;
}

void DeviceLedger::close() {
  ocl::observe_programs(nullptr);
  for (const std::string& complaint : ledger_.complaints()) fmt::print("{}\n", complaint);
  ledger_.remove_old(kDays, kMostEntries);
}

std::unique_ptr<DeviceLedger> open_ledger() {
  const char* folder = std::getenv("TEXCAST_TEST_LEDGER");
  if (folder == nullptr || *folder != '/' || has_all()) return nullptr;
  const DeviceInfo& info = device().info();
  if (info.is_gpu && info.platform != "Oclgrind") return nullptr;  // Oclgrind says that it is a device of every type
  return std::make_unique<DeviceLedger>(folder);
}

}  // namespace check
