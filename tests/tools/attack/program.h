// program.h — a texcast that runs beside this process, with what it says, and what it takes of the machine.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "texcast/frame_times.h"

namespace texcast::attack {

class Program {
 public:
  // Its report and its log become FOLDER/NAME.json and FOLDER/NAME.log.
  Program(const std::string& path, const std::string& folder, const std::string& name,
          const std::vector<std::string>& words);
  ~Program() { wait(nanoseconds{}); }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  double memory_now() const { return memory("VmRSS"); }   // MiB
  double memory_most() const { return memory("VmHWM"); }  // MiB
  double cpu_seconds() const;                             // of all its threads so far
  void interrupt() const;
  // Its exit code; ends it where it takes longer.
  int wait(nanoseconds limit);
  int log_lines() const;
  std::string log() const { return log_; }
  // A number of its report, by the name in front of it: the first one of that name behind `behind`.
  std::optional<double> reported(const std::string& name, const std::string& behind = {}) const;

 private:
  double memory(const std::string& line_of_status) const;
  const std::string report_, log_;
  pid_t child_ = -1;
};

}  // namespace texcast::attack
