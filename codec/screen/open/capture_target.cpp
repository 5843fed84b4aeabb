#include <charconv>
#include <string>

#include "screen/open_capture.h"

namespace texcast::screen {
namespace {

// Removes a number and the character after it from the text.
bool take_number(std::string_view& text, int& number, char behind) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || number < 0) return false;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  if (behind == '\0') return text.empty();
  if (!text.starts_with(behind)) return false;
  text.remove_prefix(1);
  return true;
}

// "1920x1080+100+50", in X's notation.
std::optional<Rect> region_of(std::string_view text) {
  Rect r;
  if (take_number(text, r.width, 'x') && take_number(text, r.height, '+') && take_number(text, r.x, '+') &&
      take_number(text, r.y, '\0') && r.width > 0 && r.height > 0)
    return r;
  return std::nullopt;
}

}  // namespace

std::optional<CaptureTarget> capture_target(std::string_view input) {
  using Kind = CaptureTarget::Kind;
  constexpr std::string_view kScreen = "screen:", kWindow = "window:";
  if (input == "screen") return CaptureTarget{};
  if (input.starts_with(kWindow) && input.size() > kWindow.size())
    return CaptureTarget{.kind = Kind::window, .name = std::string(input.substr(kWindow.size()))};
  if (!input.starts_with(kScreen) || input.size() == kScreen.size()) return std::nullopt;
  const std::string_view which = input.substr(kScreen.size());
  if (const auto region = region_of(which)) return CaptureTarget{.kind = Kind::region, .region = *region};
  return CaptureTarget{.kind = Kind::monitor, .name = std::string(which)};
}

}  // namespace texcast::screen
