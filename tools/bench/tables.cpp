#include "bench/tables.h"

#include <fmt/core.h>

namespace texcast::bench {
namespace {

// 0.62, 15.3, 1225
std::string three_digits(double value) { return fmt::format("{:.{}f}", value, value < 10 ? 2 : value < 100 ? 1 : 0); }

double microseconds(nanoseconds time) { return std::chrono::duration<double, std::micro>(time).count(); }

}  // namespace

std::string heading(const DeviceInfo& device) {
  return fmt::format("{} ({}, driver {})", device.name, device.platform, device.driver);
}
std::string heading(const DeviceInfo& device, const FrameFormat& source) {
  return fmt::format("{}, {}x{} {}", heading(device), source.width, source.height, name(source.pixel_format));
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
  std::string text = fmt::format("{:<37} {:>9} {:>9} {:>9} {:>10} {:>10} {:>9} {:>9} {:>8}\n", "pipeline", "frames/s",
                                 "slowest", "fastest", "ms a frame", "% of limit", "upload us", "kernel us", "down us");
  const auto row = [&](const std::string& what, const FlowRate& rate, double percent, const std::string& stages) {
    text +=
        fmt::format("{:<37} {:>9} {:>9} {:>9} {:>10.3f} {:>10.1f}{}\n", what, three_digits(rate.per_second),
                    three_digits(rate.slowest), three_digits(rate.fastest), 1000 / rate.per_second, percent, stages);
  };
  row(fmt::format("upload alone, {:.2f} GB/s: the limit", upload.gigabytes_per_second), upload.frames, 100, "");
  row("upload while BC1 blocks come back", upload.both_ways, upload.both_ways_percent, "");
  bool one_frame = false;
  for (const PipelineTiming& t : report.qualities) {
    const std::string what = fmt::format("{} {} ({})", name(t.texture), name(t.quality), name(t.method));
    if (!t.failure.empty()) {
      text += fmt::format("{:<37} cannot run: {}\n", what, t.failure);
      continue;
    }
    one_frame |= t.frames.rounds == 0;
    row(what + (t.frames.rounds == 0 ? " *" : ""), t.frames, t.percent_of_upload,
        fmt::format(" {:>9.0f} {:>9.0f} {:>8.0f}", microseconds(t.stages.upload), microseconds(t.stages.kernel),
                    microseconds(t.stages.download)));
  }
  if (one_frame) text += "* too slow for the time there is: by one frame alone\n";
  return text;
}

std::string gain_table(const std::vector<PipelineReport>& alone, const PipelineReport& together) {
  std::string text = fmt::format("{:<37} {:>9} {:>9}\n", fmt::format("{} devices", alone.size()), "frames/s", "x one");
  const auto row = [&](const std::string& what, const FlowRate& rate, double times) {
    text += fmt::format("{:<37} {:>9} {:>9.2f}\n", what, three_digits(rate.per_second), times);
  };
  row("upload alone", together.upload.frames, upload_times_one(alone, together));
  for (size_t i = 0; i < together.qualities.size(); ++i) {
    const PipelineTiming& t = together.qualities[i];
    row(fmt::format("{} {} ({})", name(t.texture), name(t.quality), name(t.method)), t.frames,
        times_one(alone, together, i));
  }
  return text;
}

std::string quality_table(const std::vector<QualityScore>& scores) {
  std::string text =
      fmt::format("{:<34} {:<12} {:>10} {:>10}\n", "format and method", "quality", "bits/pixel", "PSNR dB");
  for (const QualityScore& s : scores) {
    std::string qualities;
    for (const Quality quality : s.qualities) qualities.append(qualities.empty() ? "" : ", ").append(name(quality));
    text += fmt::format("{:<34} {:<12} {:>10} ", title(s), qualities, s.bits_per_pixel);
    text += s.failure.empty() ? fmt::format("{:>10.2f}", s.psnr_db) : fmt::format("cannot run: {}", s.failure);
    if (s.alpha_psnr_db) text += fmt::format(", alpha {:.2f}", *s.alpha_psnr_db);
    text += "\n";
  }
  return text;
}

}  // namespace texcast::bench
