// own_x_server.h — our own Xvfb on a free display number, so that no test needs or uses a person's display.
#pragma once

#include <sys/types.h>

#include <string>

#include "player/geometry.h"

namespace texcast::player {

class OwnXServer {
 public:
  OwnXServer();   // sets DISPLAY
  ~OwnXServer();  // ends the server, restores DISPLAY
  OwnXServer(const OwnXServer&) = delete;
  OwnXServer& operator=(const OwnXServer&) = delete;
  bool running() const { return !display_.empty(); }

 private:
  pid_t pid_ = -1;
  std::string display_;  // ":42"
  std::string display_before_;
};

// The size of a window according to the X server, from which SDL's may differ. The window is that of the current OpenGL
// context; 0x0 if it is not an X window.
Size x_window_size();

}  // namespace texcast::player
