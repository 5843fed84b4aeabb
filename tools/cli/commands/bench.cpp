// bench.cpp — `texcast bench [WHAT]`: chooses devices and measurements.
#include "bench.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string_view>

#include "base/error.h"
#include "bench/report.h"
#include "cli/commands.h"
#include "texcast/device.h"
#include "text/figures.h"

namespace texcast::cli {
namespace {

enum class Runs {
  by_default,     // also when nothing is named
  when_named,     // only then
  with_pictures,  // when there are some
};
struct Measurement {
  const char* name;
  Json (*run)(const BenchContext& context);
  Runs runs;
  bool sized;  // of frames that --source and --size describe
};
constexpr Measurement kMeasurements[] = {
    {"kernels", bench_kernels, Runs::by_default, true}, {"pipeline", bench_pipeline, Runs::by_default, true},
    {"psnr", bench_psnr, Runs::with_pictures, false},   {"tune", bench_tune, Runs::when_named, true},
    {"lspiro", bench_lspiro, Runs::when_named, false},
};

static_assert(std::ranges::equal(
    kMeasurements, kMeasurementNames, {}, [](const Measurement& m) { return std::string_view(m.name); },
    [](const char* name) { return std::string_view(name); }));

const Measurement* find(const std::string& name) {
  const auto found = std::find_if(std::begin(kMeasurements), std::end(kMeasurements),
                                  [&](const Measurement& m) { return m.name == name; });
  return found == std::end(kMeasurements) ? nullptr : found;
}

Json to_json(const DeviceInfo& device) {
  return Json::object({{"device", Json::object({{"index", device.index},
                                                {"name", device.name},
                                                {"platform", device.platform},
                                                {"version", device.version},
                                                {"driver", device.driver},
                                                {"gpu", device.is_gpu},
                                                {"shares_host_memory", device.shares_host_memory}})}});
}

Json to_json(const FrameFormat& source) {
  return Json::object(
      {{"pixel_format", name(source.pixel_format)}, {"width", source.width}, {"height", source.height}});
}

std::vector<ocl::Device> open_devices(const std::string& selectors) {
  std::vector<ocl::Device> devices;
  for (const DeviceChoice& choice : choose_devices(selectors)) {
    if (choice.cpu_reference)
      throw Error(ErrorKind::usage, "bench measures OpenCL devices, and cpu-reference is none; see: texcast devices");
    devices.emplace_back(choice.device);
  }
  return devices;
}

struct Request {
  std::vector<const Measurement*> measurements;
  std::vector<std::string> files;
};

Request read_request(const BenchOptions& o) {
  Request request{.measurements = {}, .files = o.words};
  const Measurement* named = o.words.empty() ? nullptr : find(o.words.front());
  if (named != nullptr) {
    request.measurements.push_back(named);
    request.files.erase(request.files.begin());
    if (named->runs == Runs::with_pictures && request.files.empty())
      throw Error(ErrorKind::usage, fmt::format("bench {} wants pictures: files that FFmpeg reads", named->name));
    if (named->runs != Runs::with_pictures && !request.files.empty())
      throw Error(ErrorKind::usage, fmt::format("bench {} takes no pictures, as '{}'", named->name, request.files[0]));
    return request;
  }
  for (const std::string& file : request.files)
    if (file.find_first_of("./:") == std::string::npos && !std::filesystem::exists(file))
      throw Error(ErrorKind::usage, fmt::format("'{}' is no measurement and no picture; there are {}", file,
                                                joined({kMeasurementNames.begin(), kMeasurementNames.end()}, ", ")));
  for (const Measurement& m : kMeasurements)
    if (m.runs == Runs::by_default || (m.runs == Runs::with_pictures && !request.files.empty()))
      request.measurements.push_back(&m);
  return request;
}

}  // namespace

int run_bench(const BenchOptions& o) {
  const Request request = read_request(o);
  const std::vector<ocl::Device> devices = open_devices(o.device);
  const std::vector<Picture> pictures = read_pictures(request.files);
  const ColorRange range = is_rgb(o.source) ? ColorRange::full : ColorRange::limited;
  const FrameFormat source{o.source, o.size.width, o.size.height, {ColorMatrix::bt709, range}};
  std::vector<bench::PipelineReport> pipelines;
  const auto context = [&](const ocl::Device& device) {
    return BenchContext{o, device, source, pictures, request.measurements.size() == 1, pipelines};
  };

  const bool sized = std::any_of(request.measurements.begin(), request.measurements.end(),
                                 [](const Measurement* m) { return m->sized; });
  Json entries = Json::array();
  std::vector<const ocl::Device*> all;
  for (const ocl::Device& device : devices) {
    all.push_back(&device);
    Json entry = to_json(device.info());
    if (sized) entry["source"] = to_json(source);
    if (!o.json)
      fmt::print("{}{}\n", all.size() > 1 ? "\n" : "",
                 sized ? bench::heading(device.info(), source) : bench::heading(device.info()));
    for (const Measurement* m : request.measurements) {
      if (!o.json) fmt::print("\n");
      std::fflush(stdout);
      entry[m->name] = m->run(context(device));
    }
    entries.push(std::move(entry));
  }
  Json report = Json::object({{"devices", std::move(entries)}});
  if (all.size() > 1 && pipelines.size() == all.size()) report["together"] = bench_together(context(devices[0]), all);
  if (o.json)
    fmt::print("{}\n", report.text(2));
  else if (request.measurements.size() > 1 && pictures.empty())
    fmt::print("\nleft out: PSNR; name pictures to have it\n");
  return 0;
}

}  // namespace texcast::cli
