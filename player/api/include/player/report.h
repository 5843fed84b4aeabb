// report.h — the results of a run of the player: frames shown, and the latency of each of their stages.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "texcast/frame_times.h"

namespace texcast::player {

// Durations of one stage over the last 4096 frames shown. Milliseconds; negative if sender and receiver are machines
// with different clocks.
struct StageLatency {
  std::string name{};  // encode, send, network, assemble, wait, upload, present; "total" from available to presented
  size_t frames = 0;   // measured; 0 if the feed does not know the times of this stage
  double p50_ms = 0;
  double p95_ms = 0;
};

// Why a run ended.
enum class RunEnd {
  feed_ended,
  quit,  // q, Esc or the window's close button
  stopped,
  frame_limit,
  next_item,  // requested by the user; the caller has the playlist
  previous_item,
  files_dropped,
};

struct ShownFrame {
  uint64_t number = 0;
  bool concealed = false;  // parts come from an earlier frame
  FrameTimes times{};      // all that are known, up to `presented`
  bool unchanged = false;  // it was on the screen already
  WallTime due{};          // FeedFrame::due
};

struct PlayerReport {
  uint64_t frames_shown = 0;
  uint64_t frames_concealed = 0;  // of those shown, with parts of an earlier frame
  uint64_t frames_unchanged = 0;  // of those shown, that were on the screen already: nothing was uploaded
  uint64_t frames_skipped = 0;    // gaps in the numbers of frames shown: lost, or replaced by a newer one
  uint64_t frames_paused = 0;     // arrived while paused and were not shown
  double seconds = 0;             // from the first frame's presentation to the last one's
  double fps = 0;                 // frames shown over those seconds
  double fps_last_second = 0;
  StageLatency total{};                // available to presented: the latency of the whole chain
  std::vector<StageLatency> stages{};  // in chronological order
  // The same for the frames that were presented in the last second, for the on-screen display.
  uint64_t frames_skipped_last_second = 0;
  StageLatency total_last_second{};
  std::vector<StageLatency> stages_last_second{};
  // These count frames that were due at times of the system clock. Late ones missed the first refresh after that.
  uint64_t frames_late = 0;
  uint64_t frames_early = 0;
  StageLatency behind{};  // due to presented
  StageLatency behind_last_second{};
  RunEnd end = RunEnd::feed_ended;
  std::optional<ShownFrame> last{};
  std::vector<std::string> dropped_files{};  // onto the window, for RunEnd::files_dropped
};

// A feed's position and playback settings; nothing: not known.
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

// A feed's position in a playlist.
struct ListPlace {
  size_t index = 0;
  size_t count = 1;
};

}  // namespace texcast::player
