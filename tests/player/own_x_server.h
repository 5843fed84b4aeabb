// own_x_server.h — an Xvfb of our own on a free display number, so that no test needs or touches a person's display.
#pragma once

#include <sys/types.h>

#include <string>

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

}  // namespace texcast::player
