// bench.cpp — `texcast bench [WHAT]`: chooses devices and measurements.
#include "cli/bench.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>

#include "base/error.h"
#include "cli/commands.h"
#include "cli/text.h"
#include "measure/tables.h"
#include "texcast/device.h"

namespace texcast::cli {
namespace {

struct Measurement {
  const char* name;
  Json (*run)(const BenchContext& context);
  bool by_default;  // also when nothing is named
};
constexpr Measurement kMeasurements[] = {
    {"kernels", bench_kernels, true},
};

const Measurement* find(const std::string& name) {
  const auto found = std::find_if(std::begin(kMeasurements), std::end(kMeasurements),
                                  [&](const Measurement& m) { return m.name == name; });
  return found == std::end(kMeasurements) ? nullptr : found;
}

Json to_json(const DeviceInfo& device, const FrameFormat& source) {
  return Json::object({{"device", Json::object({{"index", device.index},
                                                {"name", device.name},
                                                {"platform", device.platform},
                                                {"version", device.version},
                                                {"driver", device.driver},
                                                {"gpu", device.is_gpu},
                                                {"shares_host_memory", device.shares_host_memory}})},
                       {"source", Json::object({{"pixel_format", name(source.pixel_format)},
                                                {"width", source.width},
                                                {"height", source.height}})}});
}

ocl::Device open_device(const std::string& selector) {
  const DeviceChoice choice = choose_device(selector);
  if (choice.cpu_reference)
    throw Error(ErrorKind::usage, "bench measures OpenCL devices, and cpu-reference is none; see: texcast devices");
  return ocl::Device(choice.device);
}

}  // namespace

std::vector<std::string> measurement_names() {
  std::vector<std::string> names;
  for (const Measurement& m : kMeasurements) names.emplace_back(m.name);
  return names;
}

int run_bench(const BenchOptions& o) {
  std::vector<std::string> pictures = o.words;
  const Measurement* named = pictures.empty() ? nullptr : find(pictures.front());
  if (named != nullptr) pictures.erase(pictures.begin());

  if (!pictures.empty())
    throw Error(ErrorKind::usage, fmt::format("there is no measurement '{}'; there are {}", pictures.front(),
                                              joined(measurement_names(), ", ")));

  const ocl::Device device = open_device(o.device);
  const ColorRange range = is_rgb(o.source) ? ColorRange::full : ColorRange::limited;
  const FrameFormat source{o.source, o.size.width, o.size.height, {ColorMatrix::bt709, range}};
  const BenchContext context{o, device, source, pictures};
  Json entry = to_json(device.info(), source);
  if (!o.json) fmt::print("{}\n", measure::heading(device.info(), source));
  for (const Measurement& m : kMeasurements) {
    if (named != nullptr ? named != &m : !m.by_default) continue;
    if (!o.json) {
      fmt::print("\n");
      std::fflush(stdout);
    }
    entry[m.name] = m.run(context);
  }
  if (o.json) {
    Json devices = Json::array();
    devices.push(std::move(entry));
    fmt::print("{}\n", Json::object({{"devices", std::move(devices)}}).text(2));
  }
  return 0;
}

}  // namespace texcast::cli
