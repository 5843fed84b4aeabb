// bench.cpp — `texcast bench [WHAT]`: selects devices and measurements, and runs them.
#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string_view>

#include "bench/measurements.h"
#include "bench/report.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "texcast/device.h"
#include "texcast/error.h"
#include "text/figures.h"

namespace texcast::cli {
namespace {

enum class Runs {
  by_default,     // also if no measurement is named
  when_named,     // only if it is named
  with_pictures,  // if there are pictures
};
struct Measurement {
  const char* name;
  Json (*run)(const BenchContext& context);
  Runs runs;
  bool sized;  // uses --source and --size
  // Whether it uses these options.
  bool rounds = false, only = false, everything = false, method_options = false;
};
constexpr Measurement kMeasurements[] = {
    {.name = "kernels",
     .run = bench_kernels,
     .runs = Runs::by_default,
     .sized = true,
     .rounds = true,
     .only = true,
     .everything = true,
     .method_options = true},
    {.name = "pipeline",
     .run = bench_pipeline,
     .runs = Runs::by_default,
     .sized = true,
     .only = true,
     .everything = true},
    {.name = "psnr",
     .run = bench_psnr,
     .runs = Runs::with_pictures,
     .sized = false,
     .only = true,
     .method_options = true},
    {.name = "tune", .run = bench_tune, .runs = Runs::when_named, .sized = true, .only = true},
    {.name = "lspiro",
     .run = bench_lspiro,
     .runs = Runs::when_named,
     .sized = false,
     .rounds = true,
     .everything = true},
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
      throw Error(ErrorKind::usage, "bench measures OpenCL devices, not cpu-reference; see: texcast devices");
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
      throw Error(ErrorKind::usage, fmt::format("bench {} needs pictures: files that FFmpeg reads", named->name));
    if (named->runs != Runs::with_pictures && !request.files.empty())
      throw Error(ErrorKind::usage,
                  fmt::format("bench {} takes no pictures; leave out '{}'", named->name, request.files[0]));
    return request;
  }
  for (const std::string& file : request.files)
    if (file.find_first_of("./:") == std::string::npos && !std::filesystem::exists(file))
      throw Error(ErrorKind::usage,
                  fmt::format("'{}' is neither a measurement nor a picture; the measurements are {}", file,
                              joined({kMeasurementNames.begin(), kMeasurementNames.end()}, ", ")));
  for (const Measurement& m : kMeasurements)
    if (m.runs == Runs::by_default || (m.runs == Runs::with_pictures && !request.files.empty()))
      request.measurements.push_back(&m);
  return request;
}

// Rejects options that none of the measurements uses.
void reject_unused(const BenchOptions& o, const std::vector<const Measurement*>& measurements) {
  const auto check = [&](bool given, bool Measurement::*used, const char* option) {
    if (!given || std::ranges::any_of(measurements, [&](const Measurement* m) { return m->*used; })) return;
    std::vector<std::string> names;
    for (const Measurement& m : kMeasurements)
      if (m.*used) names.emplace_back(m.name);
    throw Error(ErrorKind::usage, fmt::format("{} is for bench {}", option, joined(names, ", ")));
  };
  check(o.source.has_value(), &Measurement::sized, "--source");
  check(o.size.has_value(), &Measurement::sized, "--size");
  check(o.rounds.has_value(), &Measurement::rounds, "--rounds");
  check(!o.only.empty(), &Measurement::only, "--only");
  check(o.everything, &Measurement::everything, "--everything");
  check(o.options.passes || o.options.radius, &Measurement::method_options, "--passes or --radius");
}

}  // namespace

int run_bench(const BenchOptions& o) {
  const EndsAtOnceIfInterrupted at_once;
  const Request request = read_request(o);
  reject_unused(o, request.measurements);
  const std::vector<ocl::Device> devices = open_devices(o.device);
  const std::vector<Picture> pictures = read_pictures(request.files);
  const PixelFormat pixels = o.source.value_or(PixelFormat::nv12);
  const Size size = o.size.value_or(Size{1920, 1080});
  const ColorRange range = is_rgb(pixels) ? ColorRange::full : ColorRange::limited;
  const FrameFormat source{pixels, size.width, size.height, {ColorMatrix::bt709, range}};
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
    fmt::print("\nskipped: psnr; give pictures to measure it\n");
  return 0;
}

}  // namespace texcast::cli
