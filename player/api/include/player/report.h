// report.h — what a run of the player tells: frames shown, and how long each stage of their way took.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "texcast/frame_times.h"

namespace texcast::player {

// Durations of one stage of a frame's way over the last 4096 frames shown. Milliseconds; negative where sender and
// receiver are machines whose clocks differ.
struct StageLatency {
  std::string name{};  // encode, send, network, assemble, wait, upload, present; "total" from available to presented
  size_t frames = 0;   // measured; 0 where the feed does not know the times of this stage
  double p50_ms = 0;
  double p95_ms = 0;
};

// Why a run is over.
enum class RunEnd {
  feed_ended,
  quit,  // q, Esc or the window's close button
  stopped,
  frame_limit,
  next_item,  // was asked for: the caller has the playlist
  previous_item,
  files_dropped,
};

struct PlayerReport {
  uint64_t frames_shown = 0;
  uint64_t frames_concealed = 0;  // of those shown, with parts of an earlier frame
  uint64_t frames_unchanged = 0;  // of those shown, that were on the screen already: nothing was uploaded
  uint64_t frames_skipped = 0;    // numbers between frames shown that never came: lost, or replaced by a newer one
  uint64_t frames_paused = 0;     // came while paused and were not shown
  double seconds = 0;             // from the first frame's presentation to the last one's
  double fps = 0;                 // frames shown over those seconds
  double fps_last_second = 0;
  StageLatency total{};                // available to presented: the latency of the whole chain
  std::vector<StageLatency> stages{};  // in order of happening
  // The same of the frames that were presented in the last second: for the display.
  uint64_t frames_skipped_last_second = 0;
  StageLatency total_last_second{};
  std::vector<StageLatency> stages_last_second{};
  RunEnd end = RunEnd::feed_ended;
  std::vector<std::string> dropped_files{};  // onto the window, for RunEnd::files_dropped
};

struct ShownFrame {
  uint64_t number = 0;
  bool concealed = false;  // parts come from an earlier frame
  FrameTimes times{};      // all of them that are known, up to `presented`
  bool unchanged = false;  // it was on the screen already
};

// Where a feed is and how it is played; none: not known.
struct Playback {
  std::optional<nanoseconds> position{};  // time stamp of the picture
  std::optional<nanoseconds> duration{};
  std::optional<uint64_t> frame{};  // number of the last one shown, from 0
  std::optional<uint64_t> frame_count{};
  double speed = 1;
  bool paused = false;
  bool loop = false;
  bool has_audio = false;
  double volume = 1;  // 0..1
  bool muted = false;
};

// Where a feed stands in a playlist.
struct ListPlace {
  size_t index = 0;
  size_t count = 1;
};

}  // namespace texcast::player
