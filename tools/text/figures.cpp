#include "text/figures.h"

#include <fmt/core.h>

#include "base/utf8.h"

namespace texcast {

std::string bit_rate(double bits_per_s) {
  if (bits_per_s >= 10e9) return fmt::format("{:.2f} Gbit/s", bits_per_s / 1e9);
  if (bits_per_s >= 1e6) return fmt::format("{:.1f} Mbit/s", bits_per_s / 1e6);
  return fmt::format("{:.1f} kbit/s", bits_per_s / 1e3);
}

std::string file_size(int64_t bytes) {
  const auto size = static_cast<double>(bytes);
  if (size < 10e3) return fmt::format("{} bytes", bytes);
  if (size < 1e6) return fmt::format("{:.1f} kB", size / 1e3);
  return size < 1e9 ? fmt::format("{:.1f} MB", size / 1e6) : fmt::format("{:.2f} GB", size / 1e9);
}

std::string plural(uint64_t count, const char* one) {
  return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

std::string joined(const std::vector<std::string>& words, const char* between) {
  std::string text;
  for (const std::string& word : words) text.append(text.empty() ? "" : between).append(word);
  return text;
}

std::string three_digits(double value) { return fmt::format("{:.{}f}", value, value < 10 ? 2 : value < 100 ? 1 : 0); }

std::optional<double> frame_rate(uint64_t frames, nanoseconds span, double nominal) {
  constexpr nanoseconds kShortest = std::chrono::seconds(1);
  constexpr double kJitter = 1.05;
  if (frames < 2 || span < kShortest) return std::nullopt;
  const double rate = static_cast<double>(frames - 1) / in_seconds(span);
  return rate > nominal && rate <= nominal * kJitter ? nominal : rate;
}

std::string rate_text(std::optional<double> rate) { return rate ? fmt::format(", {:.1f} fps", *rate) : ""; }

void print_row(const std::string& label, const std::string& text) {
  fmt::print("{:<12}{}\n", label, printable_text(text));
}

}  // namespace texcast
