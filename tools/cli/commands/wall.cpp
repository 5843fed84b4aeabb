// wall.cpp — `texcast wall`: asks the players of a wall which frame they show, and says who is ahead.
#include <fmt/core.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/interrupt.h"
#include "control/client.h"
#include "control/wall_report.h"
#include "texcast/error.h"

namespace texcast::cli {
namespace {

constexpr std::chrono::seconds kPatience{5};  // with a player that hangs
constexpr int kQuestions = 5;                 // to each player: the clocks are compared by the best answers

// Connected when it is first asked, and again when the player was started again.
class AskedPlayer {
 public:
  explicit AskedPlayer(std::string name) : name_(std::move(name)) {}

  control::WallPlayer ask() {
    control::WallPlayer player{.name = name_};
    try {
      if (!client_) client_ = std::make_unique<control::Client>(name_, kPatience);
      for (int i = 0; i < kQuestions; ++i) ask_once(player);
    } catch (const Error& error) {
      client_.reset();
      player.timing.reset();
      player.problem = error.what();
    }
    return player;
  }

 private:
  void ask_once(control::WallPlayer& player) {
    const int64_t asked = wall_now().time_since_epoch().count();
    const control::Message answer = client_->ask({"get", "timing"});
    const int64_t answered = wall_now().time_since_epoch().count();
    player.timing = control::parse_timing(answer);
    if (!player.timing)
      throw Error(ErrorKind::failed, answer.error.empty() ? "this is not a player" : "no player: " + answer.error);
    player.clock.narrow(asked, player.timing->now_ns, answered);
  }

  std::string name_;
  std::unique_ptr<control::Client> client_;
};

control::WallReport ask_all(std::vector<AskedPlayer>& players) {
  std::vector<control::WallPlayer> answers;
  for (AskedPlayer& player : players) answers.push_back(player.ask());
  return control::compare_players(std::move(answers));
}

void print(const control::WallReport& report, const WallOptions& o) {
  if (o.json)
    fmt::print("{}\n", control::to_json(report).text(o.interval ? 0 : 2));
  else
    for (const std::string& line : control::table_of(report)) fmt::print("{}\n", line);
  if (o.interval && !o.json) fmt::print("\n");
}

}  // namespace

int run_wall(const WallOptions& o) {
  const EndsAtOnceIfInterrupted at_once;
  std::vector<AskedPlayer> players;
  for (const std::string& name : o.players) players.emplace_back(name);
  while (true) {
    const control::WallReport report = ask_all(players);
    print(report, o);
    if (!o.interval) return report.missing > 0 ? static_cast<int>(ErrorKind::network) : 0;
    if (std::fflush(stdout) != 0) return 0;
    std::this_thread::sleep_for(*o.interval);
  }
}

}  // namespace texcast::cli
