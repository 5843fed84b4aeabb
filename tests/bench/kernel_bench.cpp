// kernel_bench — every kernel and form on every device (or the one named), at 1920x1080 and 3840x2160, beside the
// memory floor of the same frame measured in the same run. No FFmpeg, no window: it runs on a bare GPU machine.
//
//   kernel_bench [--device SELECTOR] [--source PIXELFORMAT] [--only TEXT] [--rounds N]
//
// --only: kernels whose name has TEXT in it, and the floor.
#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>

#include "base/error.h"
#include "measure/kernels.h"
#include "measure/tables.h"

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
  fmt::print("\n{}\n{}", measure::heading(device.info(), source), measure::kernel_table(timings));
  std::fflush(stdout);
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
