// kernel_bench — every kernel and form on every device (or the one named), at 1920x1080 and 3840x2160, beside the
// memory floor of the same frame measured in the same run. No FFmpeg, no window: it runs on a bare GPU machine.
//
//   kernel_bench [--device SELECTOR] [--source PIXELFORMAT] [--only TEXT] [--rounds N]
//
// --only: kernels whose name has TEXT in it, and the floor.
#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "base/error.h"
#include "ocl/profile.h"
#include "stages/stage.h"

namespace {

using namespace texcast;
using stages::Form;

struct Row {
  std::string name;
  stages::StageSettings settings;
  bool is_floor = false;
};

struct Options {
  std::string device;
  std::optional<PixelFormat> source;
  std::string only;
  int rounds = 30;
};

struct Spread {
  double smallest, median, largest;  // microseconds
};

// Smooth colours with some noise: no encoder's best case and none's worst.
std::vector<std::byte> picture(const FrameFormat& format, size_t bytes) {
  std::vector<std::byte> data(bytes);
  std::mt19937 random(1);
  for (size_t i = 0; i < bytes; ++i)
    data[i] = static_cast<std::byte>((i / 97 + i / static_cast<size_t>(format.width) + random() % 24) & 0xFF);
  return data;
}

std::vector<Row> rows(const FrameFormat& source) {
  std::vector<Row> all;
  all.push_back({"memory floor (reads the frame, writes 8 bytes a block)", {.source = source}, true});
  for (const Method method : kMethods) {
    all.push_back({fmt::format("bc1 {}, one item a block", name(method)), {.source = source, .method = method}});
    const stages::StageSettings row16{.source = source, .method = method, .form = Form::row16};
    if (stages::has_form(row16)) all.push_back({fmt::format("bc1 {}, 16 blocks an item", name(method)), row16});
    if (!stages::has_form({.source = source, .method = method, .form = Form::group})) continue;
    for (const int per_group : {1, 2, 4, 8, 16})
      all.push_back({fmt::format("bc1 {}, 16 items a block, {} blocks a group", name(method), per_group),
                     {.source = source, .method = method, .form = Form::group, .blocks_per_group = per_group}});
  }
  for (const TextureFormat texture :
       {TextureFormat::ycocg_bc4_420, TextureFormat::ycocg_bc4_422, TextureFormat::ycocg_bc4_444})
    for (const Method method : {Method::range, Method::refine})
      all.push_back({fmt::format("{} {}", name(texture), name(method)),
                     {.source = source, .texture = texture, .method = method}});
  return all;
}

double microseconds(const cl::CommandQueue& queue, stages::Stage& stage, const cl::Buffer& source,
                    const cl::Buffer& blocks) {
  const SteadyTime start = steady_now();
  const cl::Event event = stage.enqueue(queue, source, blocks, {});
  event.wait();
  const SteadyTime wall = steady_now() - start;
  const nanoseconds measured = ocl::duration(event);
  return static_cast<double>((measured.count() > 0 ? measured : wall).count()) / 1000;
}

void bench(const ocl::Device& device, const FrameFormat& source, const Options& options) {
  const auto placed = stages::place_source(source);
  const auto data = picture(source, placed.bytes);
  const auto queue = device.make_queue();
  const cl::Buffer in(device.context(), CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, data.size(),
                      const_cast<std::byte*>(data.data()));
  const size_t largest = texture_layout(TextureFormat::ycocg_bc4_444, source.width, source.height).total_bytes;
  const cl::Buffer out(device.context(), CL_MEM_READ_WRITE, largest);

  struct Candidate {
    Row row;
    std::unique_ptr<stages::Stage> stage;
    std::vector<double> times;
  };
  std::vector<Candidate> candidates;
  for (Row& row : rows(source)) {
    if (!row.is_floor && row.name.find(options.only) == std::string::npos) continue;
    auto stage =
        row.is_floor ? stages::make_memory_floor(device, row.settings) : stages::make_stage(device, row.settings);
    candidates.push_back({std::move(row), std::move(stage), {}});
  }
  // In turns, so that a slow moment of the machine falls on all alike; two warm-up rounds are not counted.
  for (int round = -2; round < options.rounds; ++round)
    for (Candidate& c : candidates) {
      const double us = microseconds(queue, *c.stage, in, out);
      if (round >= 0) c.times.push_back(us);
    }
  const double megapixels = 1e-6 * source.width * source.height;
  fmt::print("\n{} ({}, driver {}), {}x{} {}, {} rounds in turn\n", device.info().name, device.info().platform,
             device.info().driver, source.width, source.height, name(source.pixel_format), options.rounds);
  fmt::print("{:<58} {:>9} {:>9} {:>9} {:>9} {:>8}\n", "kernel", "min us", "median", "max", "MP/s", "x floor");
  double floor = 0;
  for (Candidate& c : candidates) {
    std::sort(c.times.begin(), c.times.end());
    const double median = c.times[c.times.size() / 2];
    if (c.row.is_floor) floor = median;
    fmt::print("{:<58} {:>9.1f} {:>9.1f} {:>9.1f} {:>9.0f} {:>8.2f}\n", c.row.name, c.times.front(), median,
               c.times.back(), megapixels / median * 1e6, median / floor);
  }
}

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (i + 1 == argc) throw Error(ErrorKind::usage, word + " wants a value");
    const std::string value = argv[++i];
    if (word == "--device") {
      options.device = value;
    } else if (word == "--only") {
      options.only = value;
    } else if (word == "--rounds") {
      options.rounds = std::max(1, std::atoi(value.c_str()));
    } else if (word == "--source") {
      options.source = pixel_format_from_name(value);
      if (!options.source) throw Error(ErrorKind::usage, "no source format '" + value + "'");
    } else {
      throw Error(ErrorKind::usage, "no option '" + word + "'");
    }
  }
  return options;
}

}  // namespace

int main(int argc, char** argv) try {
  const Options options = parse(argc, argv);
  const ocl::Device device(choose_device(options.device).device);
  for (const auto& [width, height] : {std::pair{1920, 1080}, std::pair{3840, 2160}})
    for (const PixelFormat format : {PixelFormat::rgba, PixelFormat::nv12}) {
      if (options.source && *options.source != format) continue;
      const ColorRange range = is_rgb(format) ? ColorRange::full : ColorRange::limited;
      bench(device, {format, width, height, {ColorMatrix::bt709, range}}, options);
    }
  return 0;
} catch (const Error& error) {
  fmt::print(stderr, "kernel_bench: {}\n", error.what());
  return static_cast<int>(error.kind());
}
