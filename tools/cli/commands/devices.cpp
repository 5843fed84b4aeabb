// devices.cpp — `texcast devices`: lists OpenCL devices.
#include <fmt/core.h>

#include <optional>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/interrupt.h"
#include "texcast/device.h"
#include "texcast/error.h"
#include "text/figures.h"
#include "text/json_text.h"

namespace texcast::cli {
namespace {

// No reason: the device was not chosen.
Json to_json(const DeviceInfo& d, const std::optional<std::string>& reason) {
  Json json = Json::object({{"index", d.index},
                            {"platform", d.platform},
                            {"name", d.name},
                            {"vendor", d.vendor},
                            {"version", d.version},
                            {"driver", d.driver},
                            {"gpu", d.is_gpu},
                            {"shares_host_memory", d.shares_host_memory},
                            {"compute_units", d.compute_units},
                            {"max_clock_mhz", d.max_clock_mhz},
                            {"global_bytes", d.global_bytes},
                            {"local_bytes", d.local_bytes},
                            {"max_alloc_bytes", d.max_alloc_bytes},
                            {"max_group_size", d.max_group_size},
                            {"images", d.has_images},
                            {"usable", d.usable},
                            {"chosen", reason.has_value()}});
  if (!d.usable) json["why_not"] = d.why_not;
  if (reason) json["reason"] = *reason;
  return json;
}

Json to_json(const DeviceChoice& choice) {
  return choice.cpu_reference ? Json("cpu-reference") : Json(choice.device.index);
}

void print_device(const DeviceInfo& d, const std::optional<std::string>& reason) {
  fmt::print("{} {}  {}\n", reason ? '*' : ' ', d.index, d.name);
  const auto detail = [](const std::string& label, const std::string& text) {
    fmt::print("     {:<12}{}\n", label, text);
  };
  detail("platform", fmt::format("{}, {}, driver {}", d.platform, d.version, d.driver));
  detail("kind", fmt::format("{}, {}, up to {} MHz", d.is_gpu ? "GPU" : "CPU",
                             plural(static_cast<uint64_t>(d.compute_units), "compute unit"), d.max_clock_mhz));
  detail("memory",
         fmt::format("{}{}, allocations up to {}, {} KiB local", file_size(static_cast<int64_t>(d.global_bytes)),
                     d.shares_host_memory ? " shared with the host" : "",
                     file_size(static_cast<int64_t>(d.max_alloc_bytes)), d.local_bytes / 1024));
  if (!d.usable) detail("not usable", d.why_not);
  if (reason) detail("chosen", *reason);
}

}  // namespace

int run_devices(const DevicesOptions& options) {
  const EndsAtOnceIfInterrupted at_once;  // a driver may compile when it is asked for its devices
  const auto devices = list_devices();
  std::vector<DeviceChoice> choices;
  std::string no_choice;
  try {
    choices = choose_devices(options.encoding.device);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::usage || (!options.json && devices.empty())) throw;
    no_choice = error.what();
  }
  const auto reason_for = [&](const DeviceInfo& d) -> std::optional<std::string> {
    for (const DeviceChoice& choice : choices)
      if (!choice.cpu_reference && choice.device.index == d.index) return choice.reason;
    return std::nullopt;
  };

  if (options.json) {
    Json list = Json::array();
    for (const DeviceInfo& d : devices) list.push(to_json(d, reason_for(d)));
    Json report = Json::object({{"devices", list}, {"chosen", Json()}});
    report["reason"] = choices.empty() ? no_choice : choices.front().reason;
    if (choices.size() == 1) report["chosen"] = to_json(choices.front());
    if (choices.size() > 1) {
      Json several = Json::array();
      for (const DeviceChoice& choice : choices) several.push(to_json(choice));
      report["chosen"] = several;
    }
    fmt::print("{}\n", report.text(2));
  } else {
    for (const DeviceInfo& d : devices) print_device(d, reason_for(d));
    for (const DeviceChoice& choice : choices)
      if (choice.cpu_reference) fmt::print("* cpu-reference  scalar C++, slow ({})\n", choice.reason);
  }
  if (choices.empty()) throw Error(ErrorKind::no_device, no_choice);
  return 0;
}

}  // namespace texcast::cli
