// progress.h — how far long work has come: a bar that redraws itself on a terminal, a plain line every few seconds
// elsewhere. Writes to stderr.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "texcast/frame_times.h"

namespace texcast {

// Not thread-safe.
class Progress {
 public:
  // `what` is the verb: "encoding". `total` frames, when known.
  Progress(std::string what, std::optional<int64_t> total);
  ~Progress();  // clears the bar
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  // Cheap to call for every frame: draws at most ten times a second. `note` follows the rate.
  void update(int64_t frames, const std::string& note = {});
  // Of the source, where it comes in real time: what frame_rate() calls nominal.
  void expect_rate(double frames_a_second) { nominal_rate_ = frames_a_second; }

 private:
  std::string line(int64_t frames, SteadyTime now, const std::string& note) const;
  std::string what_;
  std::optional<int64_t> total_;
  bool terminal_;
  SteadyTime next_draw_;
  double nominal_rate_ = 0;
  // The first that was told: what came before it (compilers, waiting for somebody to send) is no part of the rate.
  SteadyTime first_at_{};
  int64_t first_frames_ = 0;
  bool drawn_ = false;
};

// What is going on right now, on stderr, where that is a terminal.
class StatusLine {
 public:
  StatusLine();
  ~StatusLine() { clear(); }
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;
  void show(const std::string& text);
  void clear();  // before anything is written to stdout

 private:
  bool terminal_;
  bool shown_ = false;
};

}  // namespace texcast
