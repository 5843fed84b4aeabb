// wall_report.h — compares the players of a wall: who is ahead, by how much, and whose clock is off. Values in, values
// out.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "control/timing.h"
#include "text/json_text.h"

namespace texcast::control {

// The difference between a player's system clock and the one here lies between these (positive: the player's is ahead).
// Each question narrows them.
struct ClockBounds {
  double least_ms = -1e9;
  double most_ms = 1e9;
  // The player read `player_ns` between the moments at which it was asked and its answer came here.
  void narrow(int64_t asked_ns, int64_t player_ns, int64_t answered_ns);
  // The way back is short, but a question may wait for a turn of the player's loop; so the answer counts.
  double offset_ms() const { return least_ms; }
  double uncertainty_ms() const { return most_ms - least_ms; }
};

struct WallPlayer {
  std::string name{};
  std::optional<PlayerTiming> timing{};
  std::string problem{};  // why there is no timing
  ClockBounds clock{};
};

struct WallReport {
  struct Row {
    WallPlayer player{};
    std::optional<double> ahead_ms{};  // of the median player; negative: behind
  };
  std::vector<Row> rows{};
  std::optional<double> skew_ms{};  // between the first and the last player
  std::string first{}, last{};      // their names
  size_t missing = 0;               // players that did not answer
};

// By the delays from time stamps to the screen, each on the player's own clock.
WallReport compare_players(std::vector<WallPlayer> players);

std::vector<std::string> table_of(const WallReport& report);  // lines for people
Json to_json(const WallReport& report);

}  // namespace texcast::control
