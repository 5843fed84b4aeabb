#include "text/figures.h"

#include <fmt/core.h>

namespace texcast {

std::string megabits(double bits_per_s) {
  return bits_per_s >= 10e9 ? fmt::format("{:.2f} Gbit/s", bits_per_s / 1e9)
                            : fmt::format("{:.1f} Mbit/s", bits_per_s / 1e6);
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

void print_row(const std::string& label, const std::string& text) { fmt::print("{:<12}{}\n", label, text); }

}  // namespace texcast
