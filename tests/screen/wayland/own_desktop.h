// own_desktop.h — the test's own desktop session in its own folders, invisible to people: session bus, PipeWire, sway
// without a screen, the portal. Environment variables name it until the end of the scope, when all of it is killed. It
// dies with the test.
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "../../comes_true.h"
#include "temporary_folder.h"

namespace texcast::test {

class OwnDesktop {
 public:
  OwnDesktop();
  ~OwnDesktop();
  OwnDesktop(const OwnDesktop&) = delete;
  OwnDesktop& operator=(const OwnDesktop&) = delete;

  // Each waits until the program can be used. False: it is not installed, or does not start; missing() says which.
  bool start_bus();
  bool start_pipewire(bool with_session_manager = true);
  bool start_sway();    // one output, HEADLESS-1, 320x200
  bool start_portal();  // also its backend for sway; selects by the script `chooser`, once per question
  bool start_all() { return start_bus() && start_pipewire() && start_sway() && start_portal(); }
  const std::string& missing() const { return missing_; }

  void end(const std::string& program);         // at once, as by kill -9
  void sway(const std::string& command) const;  // "output HEADLESS-1 mode --custom 640x400"

  // The dialogue of the portal: its answer from now on, and the number of times that it was shown.
  void refuse(bool refused) const;
  void choose(const std::string& monitor) const;  // HEADLESS-1 by default
  int questions() const;
  std::string token_file() const { return folder_ / "state/texcast/screencast-token"; }
  std::string log() const;  // of all programs, for messages

 private:
  bool start(const std::string& program, std::vector<std::string> arguments = {}, bool never_as_root = false,
             const char* preload = nullptr);
  bool has(const std::string& path);
  bool lacks(const std::string& what);
  void set(const char* variable, const std::string& value);

  TemporaryFolder folder_;
  std::map<std::string, std::optional<std::string>> before_;  // variables
  std::vector<std::pair<std::string, pid_t>> children_;
  std::string missing_;
};

}  // namespace texcast::test
