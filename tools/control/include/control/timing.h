// timing.h — what a player answers to `get timing`: which frame it shows, when by its system clock, and how good that
// clock is. `texcast wall` compares these of several players.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "control/protocol.h"

namespace texcast::control {

// Times are nanoseconds since 1970 on the player's system clock; 0: not known.
struct PlayerTiming {
  bool has_frame = false;  // a frame was shown
  uint64_t frame = 0;      // number of the last frame shown
  int64_t stamp_ns = 0;    // its time stamp: of a stream the sender's, of a file when it should be visible
  int64_t due_ns = 0;      // when it should be visible, if the player follows the system clock
  int64_t shown_ns = 0;    // when the swap that showed it returned
  // Medians over the last second. Nothing: no frame with a time stamp was shown in that time.
  std::optional<double> delay_ms{};   // time stamp to shown
  std::optional<double> behind_ms{};  // due to shown
  double refresh_ms = 0;              // of the display; 0: swaps do not wait for it, or it is not known
  uint64_t shown = 0, late = 0, early = 0, missed = 0;  // frames since the player started the source
  bool by_system = false;                               // --clock system
  std::string clock = "none";                           // what keeps the clock: chrony, ptp, unknown, none
  std::optional<double> error_ms{};                     // of the clock, at most; nothing: it is not synchronised
  int64_t now_ns = 0;                                   // when this was answered
};

Json to_json(const PlayerTiming& timing);
std::optional<PlayerTiming> parse_timing(const Message& answer);  // nothing if it answers something else

}  // namespace texcast::control
