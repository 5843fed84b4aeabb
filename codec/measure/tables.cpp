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

}  // namespace texcast::measure
