// kernel_bench — benchmarks of the codec for developers. It needs neither FFmpeg nor a window, so that it runs on a
// bare GPU machine (cmake -DTEXCAST_PROGRAM=OFF). Its kernels, pipeline, tune, lspiro and psnr are those of `texcast
// bench`.
//
//   kernel_bench [kernels] [--groups 128 256]  all kernels and their forms, compared with the memory floor; kernels
//                                              with one item per block also in such work-groups
//   kernel_bench pipeline [--device 0,1]       from frames in host memory to blocks in host memory, compared with
//                                              uploads alone; each of several devices by itself, then all together
//   kernel_bench bands [--bands 1 2 4 8]       when the first and the last bytes of a frame are in host memory
//   kernel_bench changes [--bands 1]           encoding with and without comparison to the previous frame, by how much
//                                              of the frame changes
//   kernel_bench tune                          all forms of the qualities' kernels; stores the fastest
//   kernel_bench lanes                         kernels that encode 1, 8 or 16 blocks side by side in a work-item,
//                                              compared with one block in 16-wide vectors
//   kernel_bench lspiro                        the tables of Perminov's paper, with frames of the paper's sizes
//   kernel_bench compact FILE.nv12 WxH [--crf 23]   the coded stream, lossless or lossy, encoded by the CPU and by the
//                                              device; raw 8-bit NV12 frames without padding, repeated by mirroring up
//                                              to the frame size; --transform: lossy with transform coding; --timeline:
//                                              when host and device are at which part of a lossy frame
//   kernel_bench compact-decode FILE.nv12 WxH [--crf 23]   the same frames as a lossy stream, decoded by the CPU and
//                                              by the device
//   kernel_bench transform [FILE.nv12 WxH] [--crf 23]   mode decision of transform slices by the device: of such
//                                              frames, or of noise that moves
//   kernel_bench pictures                      NV12, I420, YUY2 and BGRx of a texture, from host memory to host memory,
//                                              by the device and by the CPU
//   kernel_bench psnr FILE.rgb WxH …           PSNR pooled over raw pictures: 8-bit R G B without padding
//
// The default sizes are 1920x1080 and 3840x2160, the default pixel formats rgba and nv12. There are no time limits.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "bands.h"
#include "bench/lspiro.h"
#include "bench/picture_quality.h"
#include "bench/pipeline.h"
#include "bench/report.h"
#include "changes.h"
#include "coding.h"
#include "pictures.h"
#include "texcast/error.h"
#include "transform.h"
#include "tuner/tune.h"

namespace {

using namespace texcast;

struct Options {
  std::vector<std::string> words;
  std::string device;
  std::vector<std::string> sources = {"rgba", "nv12"};
  std::vector<std::string> sizes = {"1920x1080", "3840x2160"};
  std::string only;
  std::vector<int> groups;
  MethodOptions options{};
  int rounds = 30;
  std::optional<double> crf;
  bool transform = false, timeline = false;
  int threads = Workers::suggested_threads() + 1;
  Quality quality = Quality::fast;
  int in_flight = EncoderSettings{}.frames_in_flight;
  int pipeline_rounds = bench::FlowSettings{}.rounds;
  bool queue_per_frame = false;
  std::vector<int> bands = bench::BandSettings{}.bands;
};

struct Size {
  int width = 0, height = 0;
};

Size size_from(const std::string& text) {
  Size size;
  char end = 0;
  if (std::sscanf(text.c_str(), "%dx%d%c", &size.width, &size.height, &end) != 2 || size.width < 1 || size.height < 1 ||
      size.width > kMaxFrameSize || size.height > kMaxFrameSize)
    throw Error(ErrorKind::usage,
                fmt::format("'{}' is not a size; give WIDTHxHEIGHT, each 1 to {}", text, kMaxFrameSize));
  return size;
}

std::vector<FrameFormat> formats(const Options& options) {
  std::vector<FrameFormat> all;
  for (const std::string& size_text : options.sizes)
    for (const std::string& source : options.sources) {
      const Size size = size_from(size_text);
      const auto format = pixel_format_from_name(source);
      if (!format) throw Error(ErrorKind::usage, "there is no pixel format '" + source + "'");
      const ColorRange range = is_rgb(*format) ? ColorRange::full : ColorRange::limited;
      all.push_back({*format, size.width, size.height, {ColorMatrix::bt709, range}});
    }
  return all;
}

void print_now(const std::string& text) {
  fmt::print("{}", text);
  std::fflush(stdout);
}

// Kernels with one item per block, in other sizes of work-groups too.
std::vector<bench::Candidate> with_groups(std::vector<bench::Candidate> candidates, const std::vector<int>& sizes) {
  const size_t count = candidates.size();
  for (size_t i = 0; i < count; ++i)
    for (const int size : sizes) {
      bench::Candidate candidate = candidates[i];
      if (candidate.settings.form != stages::Form::wide || candidate.settings.group_size == size) continue;
      candidate.settings.group_size = size;
      candidate.name += fmt::format(", groups of {}", size);
      candidates.push_back(candidate);
    }
  return candidates;
}

void kernels(const ocl::Device& device, const Options& o) {
  for (const FrameFormat& format : formats(o)) {
    const auto candidates = with_groups(bench::all_candidates(format, o.only, o.options), o.groups);
    const auto timings = bench::time_kernels(device, candidates, {.rounds = o.rounds});
    print_now(fmt::format("\n{}\n{}", bench::heading(device.info(), format), bench::kernel_table(timings)));
  }
}

void lanes(const ocl::Device& device, const Options& o) {
  for (const FrameFormat& format : formats(o)) {
    std::vector<bench::Candidate> candidates = {{"memory floor", {.source = format}, true}};
    const auto add = [&](const std::string& name, const stages::StageSettings& settings) {
      if (name.find(o.only) != std::string::npos) candidates.push_back({name, settings});
    };
    for (const TextureFormat texture : {TextureFormat::bc1, TextureFormat::bc4})
      for (const Method method : kMethods) {
        stages::StageSettings settings{
            .source = format, .texture = texture, .method = method, .form = stages::Form::row16};
        if (!has_method(texture, method) || !stages::has_form(settings)) continue;
        const std::string name = fmt::format("{} {}", texcast::name(texture), texcast::name(method));
        add(name + ", one item a block", {.source = format, .texture = texture, .method = method});
        for (const int lanes : {1, 8, 16}) {
          settings.lanes = lanes;
          add(fmt::format("{}, {} side by side", name, lanes), settings);
        }
      }
    const auto timings = bench::time_kernels(device, candidates, {.rounds = o.rounds});
    print_now(fmt::format("\n{}\n{}", bench::heading(device.info(), format), bench::kernel_table(timings)));
  }
}

void tune(const ocl::Device& device, const Options& o) {
  for (const FrameFormat& format : formats(o)) {
    print_now(fmt::format("\n{}\n", bench::heading(device.info(), format)));
    for (const stages::StageSettings& settings : tuner::quality_kernels(format, o.only))
      print_now(tuner::text(tuner::tune_thoroughly(device, settings, tuner::runs_on(device)), settings));
  }
}

void pipeline(const std::vector<ocl::Device>& devices, const Options& o) {
  std::vector<const ocl::Device*> together;
  for (const FrameFormat& format : formats(o)) {
    const bench::PipelineSettings settings{
        .source = format,
        .only = o.only,
        .frames_in_flight = o.in_flight,
        .queues = o.queue_per_frame ? QueueLayout::per_frame : QueueLayout::per_direction,
        .flow = {.rounds = o.pipeline_rounds, .one_is_enough = nanoseconds{}}};
    const auto timed = [&](const std::vector<const ocl::Device*>& on, const std::string& what) {
      auto report = bench::time_pipeline(on, settings);
      print_now(fmt::format("\n{}\n{}, {} frames in flight on each, a queue for each {}\n{}",
                            bench::heading(on.front()->info(), format), what, o.in_flight,
                            o.queue_per_frame ? "frame" : "direction", bench::pipeline_table(report)));
      return report;
    };
    std::vector<bench::PipelineReport> alone;
    together.clear();
    for (const ocl::Device& device : devices) {
      alone.push_back(timed({&device}, fmt::format("device {} alone", device.info().index)));
      together.push_back(&device);
    }
    if (devices.size() < 2) continue;
    const auto report = timed(together, fmt::format("{} devices together", devices.size()));
    print_now("\n" + bench::gain_table(alone, report));
  }
}

void bands(const ocl::Device& device, const Options& o) {
  for (const FrameFormat& format : formats(o))
    for (const TextureFormat texture : encoded_formats())
      for (const Quality quality : kQualities) {
        const std::string label = fmt::format("{} {}", name(texture), name(quality));
        if (!has_quality(texture, quality) || label.find(o.only) == std::string::npos) continue;
        const auto timings = bench::time_bands(device, {.source = format,
                                                        .texture = texture,
                                                        .quality = quality,
                                                        .bands = o.bands,
                                                        .frames = o.rounds,
                                                        .flow = {.rounds = o.pipeline_rounds}});
        print_now(
            fmt::format("\n{}, {}\n{}", bench::heading(device.info(), format), label, bench::band_table(timings)));
      }
}

void changes(const ocl::Device& device, const Options& o) {
  for (const FrameFormat& format : formats(o))
    for (const TextureFormat texture : encoded_formats())
      for (const Quality quality : kQualities) {
        const std::string label = fmt::format("{} {}", name(texture), name(quality));
        if (!has_quality(texture, quality) || label.find(o.only) == std::string::npos) continue;
        const auto timings = bench::time_changes(device, {.source = format,
                                                          .texture = texture,
                                                          .quality = quality,
                                                          .bands = o.bands.size() == 1 ? o.bands.front() : 1,
                                                          .frames = o.rounds,
                                                          .flow = {.rounds = o.pipeline_rounds}});
        print_now(
            fmt::format("\n{}, {}\n{}", bench::heading(device.info(), format), label, bench::change_table(timings)));
      }
}

void lspiro(const ocl::Device& device, const Options& o) {
  const auto tables = bench::repeat_lspiro_tables(device, {.timing = {.rounds = o.rounds}});
  print_now(fmt::format("{}\n{}", bench::heading(device.info()), bench::lspiro_text(tables)));
}

DecodedImage read_rgb(const std::string& file, const Size& size) {
  DecodedImage image{size.width, size.height, {}};
  std::ifstream in(file, std::ios::binary);
  if (!in) throw Error(ErrorKind::input, file + " cannot be opened");
  image.pixels.assign(std::istreambuf_iterator<char>(in), {});
  const size_t wanted = 3 * static_cast<size_t>(size.width) * static_cast<size_t>(size.height);
  if (image.pixels.size() != wanted)
    throw Error(ErrorKind::input, fmt::format("{} has {} bytes; {}x{} of R G B are {}", file, image.pixels.size(),
                                              size.width, size.height, wanted));
  return image;
}

void psnr(const ocl::Device& device, const Options& o) {
  if (o.words.size() < 3 || o.words.size() % 2 == 0)
    throw Error(ErrorKind::usage, "psnr needs pairs of FILE.rgb and WIDTHxHEIGHT");
  std::vector<DecodedImage> images;
  for (size_t i = 1; i < o.words.size(); i += 2) images.push_back(read_rgb(o.words[i], size_from(o.words[i + 1])));
  std::vector<const DecodedImage*> pictures;
  for (const DecodedImage& image : images) pictures.push_back(&image);
  const auto scores = bench::score_pictures(std::to_string(device.info().index), pictures, o.only, o.options);
  print_now(fmt::format("{}, {} pictures\n{}", device.info().name, images.size(), bench::quality_table(scores)));
}

// Reads raw NV12 frames of a file, and repeats each by mirroring until it is as large as `to`.
std::vector<std::vector<std::byte>> read_nv12(const std::string& file, const Size& size, const FrameFormat& to) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw Error(ErrorKind::input, file + " cannot be opened");
  const auto pixels = static_cast<size_t>(size.width) * static_cast<size_t>(size.height);
  std::vector<char> frame(pixels * 3 / 2);
  std::vector<std::vector<std::byte>> frames;
  const auto mirrored = [](int at, int length) {
    at %= 2 * length;
    return at < length ? at : 2 * length - 1 - at;
  };
  while (in.read(frame.data(), static_cast<std::streamsize>(frame.size()))) {
    std::vector<std::byte>& out = frames.emplace_back();
    out.reserve(static_cast<size_t>(to.width) * static_cast<size_t>(to.height) * 3 / 2);
    const auto put = [&](int x, int y, int row_bytes, size_t plane) {
      out.push_back(static_cast<std::byte>(
          frame[plane + static_cast<size_t>(y) * static_cast<size_t>(row_bytes) + static_cast<size_t>(x)]));
    };
    for (int y = 0; y < to.height; ++y)
      for (int x = 0; x < to.width; ++x) put(mirrored(x, size.width), mirrored(y, size.height), size.width, 0);
    for (int y = 0; y < to.height / 2; ++y)
      for (int x = 0; x < to.width; ++x)
        put(mirrored(x / 2, size.width / 2) * 2 + x % 2, mirrored(y, size.height / 2), size.width, pixels);
  }
  return frames;
}

// A whole name selects this format only, as other names may begin with it.
bool is_selected(TextureFormat texture, std::string_view only) {
  const auto formats = encoded_formats();
  const bool is_name = std::ranges::any_of(formats, [&](TextureFormat other) { return name(other) == only; });
  return is_name ? name(texture) == only : name(texture).find(only) != std::string_view::npos;
}

void coded_streams(const ocl::Device& device, const Options& o) {
  if (o.words.size() != 3)
    throw Error(ErrorKind::usage, fmt::format("{} needs FILE.nv12 and WIDTHxHEIGHT", o.words.front()));
  const bool decodes = o.words.front() == "compact-decode";
  for (const FrameFormat& format : formats(o)) {
    if (format.pixel_format != PixelFormat::nv12) continue;
    const auto frames = read_nv12(o.words[1], size_from(o.words[2]), format);
    for (const TextureFormat texture : encoded_formats()) {
      if (!compact::TileGrid::can_cut(texture) || !is_selected(texture, o.only)) continue;
      const compact::TileGrid grid({.format = texture, .width = format.width, .height = format.height});
      if (grid.is_opaque()) continue;
      if ((o.crf || decodes) && !(compact::TileGrid::can_be_lossy(texture) && grid.has_planes_of_channels())) continue;
      if (o.transform && !grid.can_transform()) continue;
      bench::CodingSettings settings{.source = format,
                                     .texture = texture,
                                     .quality = o.quality,
                                     .crf = o.crf,
                                     .transform = o.transform,
                                     .rounds = o.rounds,
                                     .timeline = o.timeline,
                                     .threads = o.threads};
      if (decodes) {
        if (!settings.crf) settings.crf = 23;
        print_now(fmt::format("\n{}, {}, {} frames, crf {}\n{}", bench::heading(device.info(), format), name(texture),
                              frames.size(), *settings.crf,
                              bench::decoding_table(bench::time_decoding(device, settings, frames))));
        continue;
      }
      const auto timings = bench::time_coding(device, settings, frames);
      print_now(fmt::format("\n{}, {}, {} frames\n{}", bench::heading(device.info(), format), name(texture),
                            frames.size(), bench::coding_table(timings, o.crf.has_value())));
    }
  }
}

void transform(const ocl::Device& device, const Options& o) {
  if (o.words.size() != 1 && o.words.size() != 3)
    throw Error(ErrorKind::usage, "transform needs FILE.nv12 and WIDTHxHEIGHT, or neither");
  for (const FrameFormat& format : formats(o)) {
    if (format.pixel_format != PixelFormat::nv12) continue;
    std::vector<std::vector<std::byte>> frames;
    if (o.words.size() == 3) frames = read_nv12(o.words[1], size_from(o.words[2]), format);
    const bench::TransformSettings settings{
        .texture = {.format = TextureFormat::ycocg_bc4_420, .width = format.width, .height = format.height},
        .crf = o.crf.value_or(23)};
    print_now(fmt::format("\n{}, crf {}\n{}", bench::heading(device.info(), format), settings.crf,
                          bench::transform_table(device, settings, frames)));
  }
}

void pictures(const ocl::Device& device, const Options& o) {
  for (const std::string& size_text : o.sizes) {
    const auto [width, height] = size_from(size_text);
    print_now(fmt::format("\n{}, {}x{}\n{}", bench::heading(device.info()), width, height,
                          bench::picture_table(device, width, height, o.only, o.rounds)));
  }
}

int run(const Options& options) {
  std::vector<ocl::Device> devices;
  for (const DeviceChoice& choice : choose_devices(options.device)) {
    if (choice.cpu_reference) throw Error(ErrorKind::usage, "cpu-reference is not an OpenCL device");
    devices.emplace_back(choice.device);
  }
  const std::string what = options.words.empty() ? "kernels" : options.words.front();
  if (what == "kernels") {
    for (const ocl::Device& device : devices) kernels(device, options);
  } else if (what == "pipeline") {
    pipeline(devices, options);
  } else if (what == "bands") {
    for (const ocl::Device& device : devices) bands(device, options);
  } else if (what == "changes") {
    for (const ocl::Device& device : devices) changes(device, options);
  } else if (what == "lanes") {
    for (const ocl::Device& device : devices) lanes(device, options);
  } else if (what == "tune") {
    for (const ocl::Device& device : devices) tune(device, options);
  } else if (what == "lspiro") {
    for (const ocl::Device& device : devices) lspiro(device, options);
  } else if (what == "compact" || what == "compact-decode") {
    coded_streams(devices.front(), options);
  } else if (what == "transform") {
    transform(devices.front(), options);
  } else if (what == "pictures") {
    for (const ocl::Device& device : devices) pictures(device, options);
  } else if (what == "psnr") {
    psnr(devices.front(), options);
  } else {
    throw Error(ErrorKind::usage, "there is no measurement '" + what +
                                      "'; there are kernels, pipeline, bands, changes, lanes, tune, lspiro, compact, "
                                      "compact-decode, transform, pictures, psnr");
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) try {
  Options options;
  CLI::App app("Benchmarks of the codec, without FFmpeg");
  app.add_option("what", options.words,
                 "kernels (default), pipeline, bands, changes, lanes, tune, lspiro, compact FILE.nv12 WxH, "
                 "compact-decode FILE.nv12 WxH, transform [FILE.nv12 WxH], pictures, or psnr FILE.rgb WxH ...");
  app.add_option("--device", options.device,
                 "index or part of a name, several separated by commas, or all; pipeline also uses them together");
  app.add_option("--source", options.sources, "pixel formats of the frames (default: rgba nv12)");
  app.add_option("--size", options.sizes, "sizes of the frames (default: 1920x1080 3840x2160)");
  app.add_option("--only", options.only, "kernels, formats and methods whose name contains this");
  app.add_option("--groups", options.groups, "kernels: sizes of work-groups besides 64")->check(CLI::Range(1, 1024));
  app.add_option("--passes", options.options.passes, "passes of lspiro2 and lspiro3 (default: 3)")
      ->check(CLI::Range(1, kMaxLspiroPasses));
  app.add_option("--radius", options.options.radius, "radius of lspiro3 (default: 1)")
      ->check(CLI::Range(1, kMaxLspiroRadius));
  app.add_option("--rounds", options.rounds, "runs of each kernel (default: 30)")->check(CLI::Range(1, 1000000));
  app.add_option_function<std::string>(
         "--quality", [&](const std::string& text) { options.quality = *quality_from_name(text); },
         "compact, compact-decode: quality and search effort of the encoders (default: fast)")
      ->check([](const std::string& text) {
        return quality_from_name(text) ? std::string() : "there are fast, normal, high, best";
      });
  app.add_option("--crf", options.crf, "compact: lossy streams (default: lossless); compact-decode: 23 by default")
      ->check(CLI::Range(0.0, 51.0));
  app.add_flag("--transform", options.transform, "compact, compact-decode: lossy streams use transform coding too");
  app.add_option("--threads", options.threads, "compact, compact-decode: threads (default: as many as the encoder's)")
      ->check(CLI::Range(1, 64));
  app.add_flag(
      "--timeline", options.timeline,
      "compact, compact-decode: also the device's times, which cost some; compact: of lossy streams, when host and "
      "device are at which part of a frame");
  app.add_option("--in-flight", options.in_flight, "frames in flight (default: the encoder's)")
      ->check(CLI::Range(1, 16));
  app.add_option("--slices", options.pipeline_rounds, "time slices of 100 ms for each pipeline (default: 5)")
      ->check(CLI::Range(1, 1000));
  app.add_option("--bands", options.bands, "bands: numbers of bands (default: 1 2 4 8; 0: the encoder's choice)")
      ->check(CLI::Range(0, 16));
  app.add_flag("--queue-per-frame", options.queue_per_frame,
               "pipeline: a command queue for each frame instead of one for each direction");
  CLI11_PARSE(app, argc, argv);
  return run(options);
} catch (const texcast::Error& error) {
  fmt::print(stderr, "kernel_bench: {}\n", error.what());
  return static_cast<int>(error.kind());
}
