#include "x_window_size.h"

#define SDL_MAIN_HANDLED
#include <SDL.h>
#include <SDL_syswm.h>
#include <dlfcn.h>

namespace texcast::player {

Size x_window_size() {
  SDL_SysWMinfo info;
  SDL_VERSION(&info.version);
  if (SDL_GetWindowWMInfo(SDL_GL_GetCurrentWindow(), &info) == SDL_FALSE || info.subsystem != SDL_SYSWM_X11) return {};
  // SDL has loaded it; linking it for one call is not worthwhile.
  void* library = dlopen("libX11.so.6", RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) return {};
  const auto get_geometry = reinterpret_cast<decltype(&XGetGeometry)>(dlsym(library, "XGetGeometry"));
  Window root{};
  int x = 0, y = 0;
  unsigned width = 0, height = 0, border = 0, depth = 0;
  if (get_geometry)
    get_geometry(info.info.x11.display, info.info.x11.window, &root, &x, &y, &width, &height, &border, &depth);
  dlclose(library);
  return {static_cast<int>(width), static_cast<int>(height)};
}

}  // namespace texcast::player
