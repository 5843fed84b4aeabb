// own_x_server.h — an Xvfb of our own on a free display number, so that no test needs or touches a person's display.
#pragma once

#include <sys/types.h>

#include <string>

#include "player/geometry.h"

namespace texcast::player {

class OwnXServer {
 public:
  OwnXServer();   // sets DISPLAY
  ~OwnXServer();  // ends the server, puts DISPLAY back
  OwnXServer(const OwnXServer&) = delete;
  OwnXServer& operator=(const OwnXServer&) = delete;
  bool running() const { return !display_.empty(); }

 private:
  pid_t pid_ = -1;
  std::string display_;  // ":42"
  std::string display_before_;
};

// The window's size as the X server has it, which SDL may believe to be another. Of the window whose OpenGL context is
// current; 0x0 where it is not one of X's.
Size x_window_size();

}  // namespace texcast::player
