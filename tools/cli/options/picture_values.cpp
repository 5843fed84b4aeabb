// picture_values.cpp — how pictures are meant to be seen: --rotate, --aspect, --deinterlace.
#include <fmt/core.h>

#include <charconv>
#include <cmath>

#include "cli/values.h"

namespace texcast::cli {
namespace {

std::optional<double> positive(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value) || value <= 0)
    return std::nullopt;
  return value;
}

}  // namespace

Result<std::optional<int>> parse_rotation(std::string_view text) {
  if (text == "auto") return std::optional<int>();
  for (const int degrees : {0, 90, 180, 270})
    if (text == std::to_string(degrees)) return std::optional(degrees);
  return Failure{fmt::format("'{}' is no rotation; give auto, or degrees clockwise: 0, 90, 180, 270", text)};
}

Result<std::optional<PixelAspect>> parse_aspect(std::string_view text) {
  using Aspect = std::optional<PixelAspect>;
  if (text == "auto") return Aspect();
  const size_t colon = text.find_first_of(":/");
  const auto width = positive(text.substr(0, colon));
  const auto height = colon == std::string_view::npos ? std::optional(1.0) : positive(text.substr(colon + 1));
  if (width && height) {
    // The simplest ratio that rounds to what was written: 1.85 is 37:20, 1.7778 is 16:9.
    constexpr double kDigits = 5e-5;
    const double ratio = *width / *height;
    const bool is_whole = *width == std::floor(*width) && *height == std::floor(*height) && *width < 1e6;
    const Aspect aspect = is_whole && *height < 1e6
                              ? pixel_aspect(static_cast<int64_t>(*width), static_cast<int64_t>(*height))
                              : simplest_aspect(ratio, ratio * kDigits);
    if (aspect) return aspect;
  }
  return Failure{fmt::format("'{}' is no shape of a picture; give auto, W:H as 16:9, or W/H as 1.85; 1:{} to {}:1",
                             text, kMaxPixelAspect, kMaxPixelAspect)};
}

Result<media::Deinterlace> parse_deinterlace(std::string_view text) {
  using media::Deinterlace;
  if (text == "auto") return Deinterlace::automatic;
  if (text == "on") return Deinterlace::on;
  if (text == "off") return Deinterlace::off;
  return Failure{fmt::format("'{}' is no way with interlaced frames; there are auto, on, off", text)};
}

}  // namespace texcast::cli
