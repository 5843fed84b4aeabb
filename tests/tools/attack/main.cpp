// attack — a program to be run by hand. The built texcast receives or plays a genuine stream while a forger sends
// packets. It uses the loopback interface only and ends by itself. Afterwards it reads the recording: each frame
// carries a proof that the genuine sender made it.
//
//   attack PROGRAM [receive|play] [plain|sealed] [SCENARIO|all] [--from ADDRESS|sender] [--seconds N] [--seed N]
//          [--rate N] [--kind NAME]
//
// --from is the forger's address: 127.0.0.2 (default), ::1, 127.0.0.1 (the sender's host, another port), or `sender`
// (the sender's own address and port). --seconds defaults to 10. --rate (20000) and --kind (all) belong to `flood`;
// with a rate of 0 it shows what is lost without an attack.
//
// It prints one line per scenario: forged packets; the fate of the genuine stream; with `play`, the latency from
// capture to display; files and log lines; the program's processor time during the attack, in per cent of one
// processor; its memory before the attack and at most. If ATTACK_LOG is set, it also prints the program's log.
#include <fmt/core.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "scenarios.h"
#include "texcast/error.h"

using namespace texcast::attack;

namespace {

[[noreturn]] void explain() {
  fmt::print(stderr,
             "attack PROGRAM [receive|play] [plain|sealed] [SCENARIO|all] [--from ADDRESS|sender] [--seconds N] "
             "[--seed N] [--rate N] [--kind NAME]\n");
  for (const Scenario& scenario : scenarios()) fmt::print(stderr, "  {:<8} {}\n", scenario.name, scenario.about);
  std::exit(2);
}

bool is_scenario(const std::string& word) {
  for (const Scenario& scenario : scenarios())
    if (scenario.name == word) return true;
  return word == "all";
}

void take_option(Task& task, const std::string& name, const std::string& value) {
  if (name == "--seconds")
    task.seconds = std::stoi(value);
  else if (name == "--rate")
    task.rate = std::stoi(value);
  else if (name == "--seed")
    task.seed = static_cast<uint32_t>(std::stoul(value));
  else if (name == "--from")
    task.from = value;
  else if (name == "--kind")
    task.kind = value;
  else
    explain();
}

Task task_of(int argc, char** argv) {
  if (argc < 2) explain();
  Task task{.program = std::filesystem::absolute(argv[1]).string()};
  for (int i = 2; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "receive" || word == "play")
      task.command = word;
    else if (word == "plain" || word == "sealed")
      task.sealed = word == "sealed";
    else if (is_scenario(word))
      task.scenario = word;
    else if (i + 1 < argc)
      take_option(task, word, argv[++i]);
    else
      explain();
  }
  return task;
}

}  // namespace

int main(int argc, char** argv) try {
  const Task asked = task_of(argc, argv);
  bool is_unharmed = true;
  for (const Scenario& scenario : scenarios()) {
    if (asked.scenario != "all" && asked.scenario != scenario.name) continue;
    Task task = asked;
    task.scenario = scenario.name;
    is_unharmed = scenario.run(task) && is_unharmed;
  }
  return is_unharmed ? 0 : 1;
} catch (const texcast::Error& error) {
  fmt::print(stderr, "attack: {}\n", error.what());
  return 2;
}
