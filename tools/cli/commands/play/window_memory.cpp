#include "play/window_memory.h"

#include <fmt/core.h>

#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "base/log.h"
#include "base/regular_file.h"

namespace texcast::cli {
namespace {

constexpr int kFarthest = 100'000;  // pixels from the desktop's origin
constexpr size_t kLongestText = 1000;

std::string state_file() {
  const char* state = std::getenv("XDG_STATE_HOME");
  const char* home = std::getenv("HOME");
  if (state != nullptr && *state == '/') return std::string(state) + "/texcast/window";
  return home != nullptr && *home == '/' ? std::string(home) + "/.local/state/texcast/window" : "";
}

}  // namespace

std::optional<player::WindowPlace> parse_window_place(std::string_view text) {
  player::WindowPlace place;
  for (int* value : {&place.x, &place.y, &place.width, &place.height}) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *value);
    if (error != std::errc() || *value < -kFarthest || *value > kFarthest) return std::nullopt;
    text.remove_prefix(static_cast<size_t>(end - text.data()));
    if (text.empty() || (text.front() != ' ' && text.front() != '\n')) return std::nullopt;
    text.remove_prefix(1);
  }
  if (!text.empty() || place.width < 0 || place.height < 0 || (place.width == 0) != (place.height == 0))
    return std::nullopt;
  return place;
}

WindowMemory::WindowMemory(const PlayOptions& o)
    : path_(o.no_window || o.offscreen || o.size || o.fullscreen || o.monitor ? "" : state_file()) {}

std::optional<player::WindowPlace> WindowMemory::place() const {
  if (path_.empty()) return std::nullopt;
  const auto text = read_regular_file(path_, kLongestText);
  if (!text) return std::nullopt;
  const auto place = parse_window_place(*text);
  if (!place && !text->empty()) log_debug("{} holds no window position; it is written again at the end", path_);
  return place;
}

void WindowMemory::keep(const player::WindowPlace& place) const {
  if (path_.empty()) return;
  try {
    const std::filesystem::path path(path_), fresh(path_ + ".new");
    std::filesystem::create_directories(path.parent_path());
    std::ofstream file(fresh, std::ios::trunc);
    file << fmt::format("{} {} {} {}\n", place.x, place.y, place.width, place.height);
    file.close();
    if (!file)
      throw std::filesystem::filesystem_error("cannot be written", fresh, std::make_error_code(std::errc::io_error));
    std::filesystem::rename(fresh, path);
  } catch (const std::exception& error) {
    log_debug("the position of the window is not stored: {}", error.what());
  }
}

}  // namespace texcast::cli
