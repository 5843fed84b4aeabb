// latency_report.h — measured latencies of pictures and clicks, compared with the sum of their stages, and the report.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/latency.h"
#include "latency/screen_grabber.h"
#include "player/report.h"
#include "stream/click_ear.h"
#include "text/json_text.h"

namespace texcast::cli {

// Latencies measured by what was seen or heard.
struct Ages {
  LatencyWindow measured;
  LatencyWindow of_stages;   // sums of the stages of the same pictures
  LatencyWindow difference;  // of the two, for each picture
  void add(nanoseconds by_itself, nanoseconds by_stages);
};

// Not thread-safe.
class SeenPictures {
 public:
  // The player has shown the frame.
  void shown(const player::ShownFrame& frame);
  // Its time code was searched for on the player's surface.
  void looked_at(const player::ShownFrame& frame, std::optional<int64_t> code);
  // The same for captures of the screen, of all frames that were shown.
  void grabbed(std::span<const Grab> grabs);

  const Ages& ages() const { return ages_; }
  uint64_t read() const { return read_; }
  uint64_t looked_at() const { return looked_at_; }
  // From presented to captured; empty: the screen was not captured.
  const LatencyWindow& on_screen() const { return on_screen_; }
  // The minimum network delay of a first packet, by the clocks of both ends.
  std::optional<nanoseconds> least_network() const { return least_network_; }

 private:
  std::vector<FrameTimes> frames_;  // the last few thousand
  Ages ages_;
  LatencyWindow on_screen_;
  uint64_t looked_at_ = 0, read_ = 0;
  std::optional<nanoseconds> least_network_;
};

// Not thread-safe.
class HeardClicks {
 public:
  void heard(std::span<const stream::HeardClick> clicks);
  uint64_t count() const { return count_; }
  void add_to(Json& json) const;
  void print() const;

 private:
  static constexpr size_t kStages = 4;
  Ages ages_;
  LatencyWindow stages_[kStages];
  std::optional<WallTime> first_;
  uint64_t count_ = 0;
};

struct LatencyReport {
  const player::PlayerReport& player;
  const SeenPictures& seen;
  const HeardClicks* clicks = nullptr;  // nullptr: no audio
  std::string renderer;                 // "llvmpipe …"
  std::string grab;                     // the screen that was captured; empty: the surface was read back
  bool two_machines = false;
};
// On the receiving one of two machines: the clock offset that follows from SeenPictures::least_network().
std::string clocks_text(nanoseconds least_network);
void print_latency(const LatencyReport& report, bool json);

}  // namespace texcast::cli
