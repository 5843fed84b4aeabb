#include "own_x_server.h"

#define SDL_MAIN_HANDLED
#include <SDL.h>
#include <SDL_syswm.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

namespace texcast::player {

OwnXServer::OwnXServer() {
  if (const char* before = std::getenv("DISPLAY")) display_before_ = before;
  std::array<int, 2> pipe_ends{};
  if (pipe(pipe_ends.data()) != 0) return;
  pid_ = fork();
  if (pid_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGTERM);  // it must not outlive a test that crashed
    dup2(pipe_ends[1], 3);             // Xvfb chooses a free number itself, and writes it there
    const int nowhere = open("/dev/null", O_RDWR);
    dup2(nowhere, 1);
    dup2(nowhere, 2);
    execlp("Xvfb", "Xvfb", "-displayfd", "3", "-screen", "0", "1600x900x24", "-nolisten", "tcp", "-noreset",
           static_cast<char*>(nullptr));
    _exit(127);
  }
  close(pipe_ends[1]);
  std::string number;
  pollfd waiting{pipe_ends[0], POLLIN, 0};
  for (char c = 0; c != '\n' && poll(&waiting, 1, 20'000) == 1 && read(pipe_ends[0], &c, 1) == 1;)
    if (c >= '0' && c <= '9') number += c;
  close(pipe_ends[0]);
  if (number.empty()) return;
  display_ = ":" + number;
  setenv("DISPLAY", display_.c_str(), 1);
}

OwnXServer::~OwnXServer() {
  if (pid_ > 0) {
    kill(pid_, SIGTERM);
    waitpid(pid_, nullptr, 0);
  }
  display_before_.empty() ? unsetenv("DISPLAY") : setenv("DISPLAY", display_before_.c_str(), 1);
}

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
