// progress.h — shows progress on stderr: a bar on a terminal, else a line every 5 s.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "texcast/frame_times.h"

namespace texcast {

// Not thread-safe.
class Progress {
 public:
  // `what` is the verb, as "encoding"; `total` the number of frames, or of other things (`one`: "file"), if known.
  Progress(std::string what, std::optional<int64_t> total, std::string one = "frame");
  ~Progress();  // clears the bar
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  // Cheap to call for every frame: draws at most ten times a second. `note` follows the rate.
  void update(int64_t frames, const std::string& note = {});
  // For a source in real time: the nominal rate of frame_rate().
  void expect_rate(double frames_a_second) { nominal_rate_ = frames_a_second; }

 private:
  std::string line(int64_t frames, SteadyTime now, const std::string& note) const;
  std::string what_, one_;
  std::optional<int64_t> total_;
  bool terminal_;
  SteadyTime next_draw_;
  double nominal_rate_ = 0;
  // The first update: the time before it (compiling, waiting for a sender) does not count for the rate.
  SteadyTime first_at_{};
  int64_t first_frames_ = 0;
  bool drawn_ = false;
};

// A status line on stderr, if that is a terminal.
class StatusLine {
 public:
  StatusLine();
  ~StatusLine() { clear(); }
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;
  void show(const std::string& text);
  void clear();  // call it before writing to stdout

 private:
  bool terminal_;
  bool shown_ = false;
};

}  // namespace texcast
