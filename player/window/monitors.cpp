#include "monitors.h"

#include <SDL_video.h>
#include <fmt/format.h>

#include <string>

#include "base/error.h"

namespace texcast::player {

int monitor_index(int monitor) {
  const int count = SDL_GetNumVideoDisplays();
  if (monitor >= 1 && monitor <= count) return monitor - 1;
  std::string list;
  for (int i = 0; i < count; ++i) {
    SDL_Rect bounds{};
    SDL_GetDisplayBounds(i, &bounds);
    const char* name = SDL_GetDisplayName(i);
    list += fmt::format("{}{}: {} ({}x{})", i == 0 ? "" : ", ", i + 1, name ? name : "?", bounds.w, bounds.h);
  }
  throw Error(ErrorKind::usage, fmt::format("there is no monitor {}; there are {}", monitor, list));
}

int next_monitor_index(int current, int count) {
  return count < 1 || current < 0 || current + 1 >= count ? 0 : current + 1;
}

}  // namespace texcast::player
