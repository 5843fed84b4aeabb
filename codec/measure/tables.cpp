#include "measure/tables.h"

#include <fmt/core.h>

namespace texcast::measure {
namespace {

// 0.62, 15.3, 1225
std::string three_digits(double value) { return fmt::format("{:.{}f}", value, value < 10 ? 2 : value < 100 ? 1 : 0); }

}  // namespace

std::string heading(const DeviceInfo& device, const FrameFormat& source) {
  return fmt::format("{} ({}, driver {}), {}x{} {}", device.name, device.platform, device.driver, source.width,
                     source.height, name(source.pixel_format));
}

std::string kernel_table(const std::vector<KernelTiming>& timings) {
  std::string text = fmt::format("{:<56} {:>10} {:>10} {:>10} {:>6} {:>8} {:>8}\n", "kernel", "min us", "median", "max",
                                 "rounds", "MP/s", "x floor");
  for (const KernelTiming& t : timings) {
    if (!t.failure.empty()) {
      text += fmt::format("{:<56} cannot run: {}\n", t.candidate.name, t.failure);
      continue;
    }
    text += fmt::format("{:<56} {:>10.1f} {:>10.1f} {:>10.1f} {:>6} {:>8} {:>8.2f}\n", t.candidate.name, t.time.min_us,
                        t.time.median_us, t.time.max_us, t.time.rounds, three_digits(t.megapixels_per_second),
                        t.times_floor);
  }
  return text;
}

std::string pipeline_table(const PipelineReport& report) {
  const UploadLimit& upload = report.upload;
  std::string text = fmt::format("{:<34} {:>10} {:>10} {:>10} {:>12} {:>11}\n", "pipeline", "frames/s", "slowest",
                                 "fastest", "ms a frame", "% of limit");
  const auto row = [&](const std::string& what, const FlowRate& rate, double percent) {
    text += fmt::format("{:<34} {:>10} {:>10} {:>10} {:>12.3f} {:>11.1f}\n", what, three_digits(rate.per_second),
                        three_digits(rate.slowest), three_digits(rate.fastest), 1000 / rate.per_second, percent);
  };
  row(fmt::format("upload alone, {:.2f} GB/s: the limit", upload.gigabytes_per_second), upload.frames, 100);
  bool one_frame = false;
  for (const PipelineTiming& t : report.qualities) {
    const std::string what = fmt::format("{} {} ({})", name(t.texture), name(t.quality), name(t.method));
    if (!t.failure.empty()) {
      text += fmt::format("{:<34} cannot run: {}\n", what, t.failure);
      continue;
    }
    one_frame |= t.frames.rounds == 0;
    row(what + (t.frames.rounds == 0 ? " *" : ""), t.frames, t.percent_of_upload);
  }
  if (one_frame) text += "* too slow for the time there is: by one frame alone\n";
  return text;
}

std::string quality_table(const std::vector<QualityScore>& scores) {
  std::string text =
      fmt::format("{:<34} {:<12} {:>10} {:>10}\n", "format and method", "quality", "bits/pixel", "PSNR dB");
  for (const QualityScore& s : scores) {
    std::string qualities;
    for (const Quality quality : s.qualities) qualities.append(qualities.empty() ? "" : ", ").append(name(quality));
    text += fmt::format("{:<34} {:<12} {:>10} ", title(s), qualities, s.bits_per_pixel);
    text += s.failure.empty() ? fmt::format("{:>10.2f}\n", s.psnr_db) : fmt::format("cannot run: {}\n", s.failure);
  }
  return text;
}

}  // namespace texcast::measure
