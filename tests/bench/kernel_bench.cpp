// kernel_bench — every kernel and form on every device (or the one named), at 1920x1080 and 3840x2160, beside the
// memory floor of the same frame measured in the same run. No FFmpeg, no window: it runs on a bare GPU machine.
//
//   kernel_bench [--device SELECTOR] [--source PIXELFORMAT] [--only TEXT] [--rounds N]
//
// --only: kernels whose name has TEXT in it, and the floor.
#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <string>

#include "base/error.h"
#include "measure/kernels.h"

namespace {

using namespace texcast;

struct Options {
  std::string device;
  std::optional<PixelFormat> source;
  std::string only;
  int rounds = 30;
};

void bench(const ocl::Device& device, const FrameFormat& source, const Options& options) {
  const auto timings =
      measure::time_kernels(device, measure::all_candidates(source, options.only), {.rounds = options.rounds});
  fmt::print("\n{} ({}, driver {}), {}x{} {}, {} rounds in turn\n", device.info().name, device.info().platform,
             device.info().driver, source.width, source.height, name(source.pixel_format), options.rounds);
  fmt::print("{:<58} {:>9} {:>9} {:>9} {:>9} {:>8}\n", "kernel", "min us", "median", "max", "MP/s", "x floor");
  for (const measure::KernelTiming& t : timings) {
    if (t.failure.empty())
      fmt::print("{:<58} {:>9.1f} {:>9.1f} {:>9.1f} {:>9.0f} {:>8.2f}\n", t.candidate.name, t.time.min_us,
                 t.time.median_us, t.time.max_us, t.megapixels_per_second, t.times_floor);
    else
      fmt::print("{:<58} {}\n", t.candidate.name, t.failure);
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
