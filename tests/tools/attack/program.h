// program.h — a texcast process: its report, its log, its processor time and memory.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "texcast/frame_times.h"

namespace texcast::attack {

class Program {
 public:
  // Starts it. Its report is written to FOLDER/NAME.json, its log to FOLDER/NAME.log.
  Program(const std::string& path, const std::string& folder, const std::string& name,
          const std::vector<std::string>& words);
  ~Program() { wait(nanoseconds{}); }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  double memory_now() const { return memory("VmRSS"); }   // MiB
  double memory_most() const { return memory("VmHWM"); }  // MiB
  double cpu_seconds() const;                             // of all threads so far
  void interrupt() const;
  // Returns its exit code. If it has not ended within `limit` it is terminated.
  int wait(nanoseconds limit);
  int log_lines() const;
  std::string log() const { return log_; }
  // The first number called `name` in its report, or the first one after `behind`.
  std::optional<double> reported(const std::string& name, const std::string& behind = {}) const;

 private:
  double memory(const std::string& line_of_status) const;
  const std::string report_, log_;
  pid_t child_ = -1;
};

}  // namespace texcast::attack
