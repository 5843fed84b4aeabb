#include "pictures.h"

#include <fmt/core.h>

#include <array>
#include <vector>

#include "base/stage_time.h"
#include "texcast/encoder.h"
#include "texcast/frame_times.h"
#include "texcast/picture_converter.h"
#include "tuner/sample_frame.h"
#include "tuner/timing.h"

namespace texcast::bench {
namespace {

constexpr std::array kTextures = {TextureFormat::bc1, TextureFormat::bc7, TextureFormat::ycocg_bc4_420};
constexpr std::array kPictures = {PixelFormat::nv12, PixelFormat::yuv420p, PixelFormat::yuyv422, PixelFormat::bgra};

double ms(nanoseconds time) { return std::chrono::duration<double, std::milli>(time).count(); }

// A texture of the sample, in memory of its own.
struct Sample {
  TextureDesc desc{};
  std::vector<std::byte> blocks{};
  TextureView view() const { return {.desc = desc, .blocks = blocks}; }
};

Sample encoded_sample(const std::string& device, TextureFormat texture, int width, int height) {
  const FrameFormat format{.pixel_format = PixelFormat::rgba, .width = width, .height = height, .color = kFullRange};
  const FramePlacement placed = place_frame(format);
  std::vector<std::byte> pixels(placed.padded_bytes);
  tuner::fill_sample(format, std::span(pixels).first(placed.bytes), 1);
  const auto encoder = make_encoder({.source = format, .texture = texture, .device = device});
  FrameView frame{.format = format};
  frame.planes[0] = {.data = pixels.data(), .stride_bytes = placed.stride[0]};
  encoder->submit(frame, {});
  const TextureView made = encoder->next().texture;
  return {.desc = made.desc, .blocks = {made.blocks.begin(), made.blocks.end()}};
}

// A converter and its times, in ms.
class Timed {
 public:
  Timed(const TextureDesc& from, const FrameFormat& to, const std::string& device) : picture_(picture_bytes(to)) {
    const SteadyTime start = steady_now();
    converter_ = make_picture_converter({.from = from, .to = to, .device = device});
    made_ = ms(steady_now() - start);
  }
  void convert(const TextureView& texture) {
    const SteadyTime start = steady_now();
    const nanoseconds cpu = process_cpu_now();
    converter_->convert(texture, picture_);
    wall_.push_back(ms(steady_now() - start));
    cpu_.push_back(ms(process_cpu_now() - cpu));
  }
  std::string row(const char* where) const {
    return fmt::format(" {:>8} {:9.1f} {:9.2f} {:9.2f}", where, made_, tuner::median(wall_), tuner::median(cpu_));
  }
  const std::vector<std::byte>& picture() const { return picture_; }

 private:
  std::unique_ptr<PictureConverter> converter_;
  std::vector<std::byte> picture_;
  double made_ = 0;
  std::vector<double> wall_, cpu_;
};

std::string rows(const ocl::Device& device, const Sample& sample, PixelFormat pixels, int rounds) {
  const FrameFormat to{.pixel_format = pixels, .width = sample.desc.width, .height = sample.desc.height};
  Timed by_device(sample.desc, to, std::to_string(device.info().index)), by_cpu(sample.desc, to, "cpu-reference");
  for (int round = 0; round < rounds; ++round)
    for (Timed* timed : {&by_device, &by_cpu}) timed->convert(sample.view());
  const std::string label = fmt::format("{:<10} {:<8}", name(sample.desc.format), name(pixels));
  const char* const differ = by_device.picture() == by_cpu.picture() ? "" : "  the bytes differ";
  return label + by_device.row("device") + differ + "\n" + label + by_cpu.row("CPU") + "\n";
}

}  // namespace

std::string picture_table(const ocl::Device& device, int width, int height, std::string_view only, int rounds) {
  std::string table =
      fmt::format("{:<10} {:<8} {:>8} {:>9} {:>9} {:>9}\n", "texture", "picture", "by", "ready ms", "ms", "CPU ms");
  for (const TextureFormat texture : kTextures) {
    if (name(texture).find(only) == std::string_view::npos) continue;
    const Sample sample = encoded_sample(std::to_string(device.info().index), texture, width, height);
    for (const PixelFormat pixels : kPictures) table += rows(device, sample, pixels, rounds);
  }
  return table;
}

}  // namespace texcast::bench
