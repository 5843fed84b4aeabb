// latency_report.h — what pictures and clicks say of their age, beside the stages that they came through: figures, and
// the report of them.
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

// Ages that were told by what was seen or heard itself.
struct Ages {
  LatencyWindow measured;
  LatencyWindow of_stages;   // of the same
  LatencyWindow difference;  // of the two, of each
  void add(nanoseconds by_itself, nanoseconds by_stages);
};

// Not thread-safe.
class SeenPictures {
 public:
  // The player has shown it.
  void shown(const player::ShownFrame& frame);
  // Its time was looked for on the player's own surface.
  void looked_at(const player::ShownFrame& frame, std::optional<int64_t> code);
  // Or on the screen, of all that were shown.
  void grabbed(std::span<const Grab> grabs);

  const Ages& ages() const { return ages_; }
  uint64_t read() const { return read_; }
  uint64_t looked_at() const { return looked_at_; }
  const LatencyWindow& on_screen() const { return on_screen_; }  // presented to grabbed; empty: nothing was
  // The least that a first packet took, by the clocks of both ends.
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
  const HeardClicks* clicks = nullptr;  // null: there was no sound
  std::string renderer;                 // "llvmpipe …"
  std::string grab;                     // where it was read off the screen; empty: off the surface
  bool two_machines = false;
};
// Of two machines, of which this is the one that shows: what SeenPictures::least_network() says of theirs.
std::string clocks_text(nanoseconds least_network);
void print_latency(const LatencyReport& report, bool json);

}  // namespace texcast::cli
