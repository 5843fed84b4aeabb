// Devices, the log, and the version.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "boundary.h"
#include "texcast/c/device.h"
#include "texcast/c/log.h"
#include "texcast/device.h"
#include "texcast/log.h"
#include "texcast/version.h"

struct texcast_device_list {
  std::vector<texcast::DeviceChoice> devices{};
};

namespace texcast::c {

namespace {

constexpr const char* kReference = "cpu-reference";

texcast_device_info c_info(const DeviceChoice& choice) {
  const DeviceInfo& device = choice.device;
  return {.struct_size = sizeof(texcast_device_info),
          .name = choice.cpu_reference ? kReference : device.name.c_str(),
          .platform = device.platform.c_str(),
          .vendor = device.vendor.c_str(),
          .version = device.version.c_str(),
          .driver = device.driver.c_str(),
          .reason = choice.reason.empty() ? device.why_not.c_str() : choice.reason.c_str(),
          .index = choice.cpu_reference ? -1 : device.index,
          .is_usable = choice.cpu_reference || device.usable,
          .is_gpu = device.is_gpu,
          .shares_host_memory = choice.cpu_reference || device.shares_host_memory,
          .compute_units = device.compute_units,
          .max_clock_mhz = device.max_clock_mhz,
          .memory_bytes = device.global_bytes};
}

}  // namespace

}  // namespace texcast::c

using namespace texcast;
using namespace texcast::c;

texcast_status texcast_list_devices(texcast_device_list** list, texcast_error* error) {
  return guarded(error, [&] {
    texcast_device_list*& out = handle_out(list, "list");
    auto made = std::make_unique<texcast_device_list>();
    for (DeviceInfo& device : list_devices())
      made->devices.push_back({.cpu_reference = false, .device = std::move(device), .reason = {}});
    out = made.release();
    return TEXCAST_OK;
  });
}

texcast_status texcast_choose_devices(const char* selectors, texcast_device_list** list, texcast_error* error) {
  return guarded(error, [&] {
    texcast_device_list*& out = handle_out(list, "list");
    out = new texcast_device_list{.devices = choose_devices(text(selectors))};
    return TEXCAST_OK;
  });
}

texcast_status texcast_device_list_get(const texcast_device_list* list, size_t index, texcast_device_info* info,
                                       texcast_error* error) {
  return guarded(error, [&] {
    const Output out(info, "texcast_device_info");
    const auto& devices = required(list, "list").devices;
    if (index >= devices.size()) return TEXCAST_END;
    out.set(c_info(devices[index]));
    return TEXCAST_OK;
  });
}

void texcast_device_list_destroy(texcast_device_list* list) { delete list; }

texcast_status texcast_set_log(texcast_log_function function, void* user, texcast_log_level lowest,
                               texcast_error* error) {
  return guarded(error, [&] {
    static_assert(static_cast<int>(LogLevel::debug) == TEXCAST_LOG_DEBUG);
    static_assert(static_cast<int>(LogLevel::error) == TEXCAST_LOG_ERROR);
    const auto level = enumerator<LogLevel>(lowest, 4, "lowest");
    if (!function) {
      set_log_function({}, level);
      return TEXCAST_OK;
    }
    set_log_function(
        [function, user](LogLevel line_level, std::string_view line) {
          function(user, static_cast<texcast_log_level>(line_level), std::string(line).c_str());
        },
        level);
    return TEXCAST_OK;
  });
}

const char* texcast_version(void) { return version(); }
