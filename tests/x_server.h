// x_server.h — an X server of the test's own (Xvfb), so that no test needs or uses a person's display.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace texcast::test {

// On a display number that it chooses. DISPLAY names it until the end of the scope.
class XServer {
 public:
  struct Settings {
    const char* size_and_depth = "640x480x24";
    std::vector<std::string> more{};  // arguments of Xvfb
    // For its start. Negative: until the server has ended.
    std::chrono::milliseconds patience = std::chrono::minutes(1);
  };
  explicit XServer(const Settings& settings);
  ~XServer();
  XServer(const XServer&) = delete;
  XServer& operator=(const XServer&) = delete;

  bool is_there() const { return is_there_; }  // false: the machine has no Xvfb, or it did not start in time
  void end(int by_signal = SIGTERM);

 private:
  pid_t id_ = -1;
  bool is_there_ = false;
  std::optional<std::string> before_;  // DISPLAY
};

}  // namespace texcast::test
