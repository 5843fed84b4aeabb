// device_list.cpp — list_devices() and choose_device() of texcast/device.h.
#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>

#include "enumerate.h"
#include "ocl/cache.h"
#include "texcast/device.h"
#include "texcast/error.h"

namespace texcast {
namespace {

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

std::optional<int> as_index(const std::string& text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string list_for_people(const std::vector<DeviceInfo>& devices) {
  std::string list;
  for (const DeviceInfo& d : devices)
    list += (list.empty() ? "" : "; ") + std::to_string(d.index) + " " + d.name + " (" + d.platform + ")";
  return list.empty() ? "there is none" : list;
}

// A GPU before a CPU, then the one with more compute units.
bool better(const DeviceInfo& a, const DeviceInfo& b) {
  if (a.is_gpu != b.is_gpu) return a.is_gpu;
  return a.compute_units > b.compute_units;
}

std::string why_none() {
  if (const std::string complaint = ocl::driver_cache_complaint(); !complaint.empty())
    return "no OpenCL device: " + complaint;
  return "no OpenCL device: install a driver (without a GPU: pocl-opencl-icd)";
}

DeviceChoice choose_best(const std::vector<DeviceInfo>& devices) {
  const DeviceInfo* best = nullptr;
  for (const DeviceInfo& d : devices)
    if (d.usable && (best == nullptr || better(d, *best))) best = &d;
  if (best == nullptr)
    throw Error(ErrorKind::no_device,
                devices.empty() ? why_none() + ", or use --device cpu-reference, which is slow"
                                : "no usable OpenCL device: " + devices.front().name + ": " + devices.front().why_not);
  return {false, *best,
          best->is_gpu ? "the GPU with the most compute units" : "no GPU: the CPU with the most compute units"};
}

std::vector<DeviceChoice> choose_all() {
  const auto devices = list_devices();
  const DeviceChoice best = choose_best(devices);  // throws if none is usable
  std::vector<DeviceChoice> all;
  for (const DeviceInfo& d : devices)
    if (d.usable && d.is_gpu == best.device.is_gpu)
      all.push_back({false, d, d.is_gpu ? "one of all GPUs" : "no GPU: one of all devices"});
  return all;
}

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> parts(1);
  for (const char c : list) {
    if (c == ',')
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

}  // namespace

std::vector<DeviceInfo> list_devices() {
  std::vector<DeviceInfo> infos;
  for (const auto& found : ocl::enumerate()) infos.push_back(found.info);
  return infos;
}

DeviceChoice choose_device(const std::string& selector) {
  if (selector == "cpu-reference") return {true, {}, "requested"};
  const auto devices = list_devices();
  if (selector.empty()) return choose_best(devices);

  std::vector<DeviceInfo> matching;
  if (const auto index = as_index(selector)) {
    std::copy_if(devices.begin(), devices.end(), std::back_inserter(matching),
                 [&](const DeviceInfo& d) { return d.index == *index; });
  } else {
    const std::string wanted = lower(selector);
    std::copy_if(devices.begin(), devices.end(), std::back_inserter(matching), [&](const DeviceInfo& d) {
      return lower(d.platform + "\n" + d.version + "\n" + d.name).find(wanted) != std::string::npos;
    });
  }
  if (matching.empty())
    throw Error(ErrorKind::no_device, "no OpenCL device matches '" + selector + "': " + list_for_people(devices));
  DeviceChoice choice = choose_best(matching);
  choice.reason = "matches '" + selector + "'";
  return choice;
}

std::vector<DeviceChoice> choose_devices(const std::string& selectors) {
  if (selectors == "all") return choose_all();
  const auto parts = split(selectors);
  if (parts.size() == 1) return {choose_device(selectors)};
  std::vector<DeviceChoice> choices;
  for (const std::string& part : parts) {
    if (part.empty())
      throw Error(ErrorKind::usage,
                  "'" + selectors + "' names no device before or after a comma; give for example 0,1 or all");
    const DeviceChoice choice = choose_device(part);
    for (const DeviceChoice& other : choices)
      if (other.cpu_reference == choice.cpu_reference && other.device.index == choice.device.index)
        throw Error(ErrorKind::usage, "'" + selectors + "' names " +
                                          (choice.cpu_reference ? "cpu-reference" : choice.device.name) +
                                          " twice; to keep one device busy, raise the number of frames in flight");
    choices.push_back(choice);
  }
  return choices;
}

}  // namespace texcast
