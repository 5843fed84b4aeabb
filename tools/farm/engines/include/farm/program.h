// program.h — runs other programs, such as squeue, and reads what they print.
//
// Not thread-safe. A child is in a process group of its own, so that a Ctrl-C in the terminal reaches only texcast.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/descriptor.h"
#include "base/result.h"
#include "texcast/frame_times.h"

namespace texcast::farm {

// A program that runs beside this one. The destructor kills it, with its process group.
class RunningProgram {
 public:
  struct Output {
    int out = -1, err = -1;  // descriptors that become its stdout and stderr; negative: /dev/null
    int kept = -1;           // another descriptor that it keeps open; negative: none
  };
  // Finds words[0] in PATH; stdin is empty. A Failure says that it could not be started, and why.
  static Result<RunningProgram> start(const std::vector<std::string>& words, const Output& output);
  ~RunningProgram();
  RunningProgram(RunningProgram&& other) noexcept;
  RunningProgram& operator=(RunningProgram&&) = delete;

  // The exit code, or 128 + the signal that ended it. None while it runs.
  std::optional<int> ended();
  // Waits until `deadline` for the end.
  std::optional<int> wait_until(SteadyTime deadline);
  void send(int signal) const;  // to the program, without its children

 private:
  explicit RunningProgram(pid_t id) : id_(id) {}
  pid_t id_ = 0;  // 0: ended, or moved from
  std::optional<int> status_;
};

struct ProgramOutput {
  int status = 0;  // as RunningProgram::ended()
  std::string out, err;
};

struct ProgramLimits {
  nanoseconds time{};
  size_t bytes = 0;                         // of both outputs together
  const std::atomic<bool>* stop = nullptr;  // set it to end the program early, from any thread; null: never
};

// Runs a program to its end. A Failure says that it could not be started, or exceeded a limit; it is then killed.
Result<ProgramOutput> run_program(const std::vector<std::string>& words, const ProgramLimits& limits);

// The text as one word of a shell.
std::string shell_word(const std::string& text);

}  // namespace texcast::farm
