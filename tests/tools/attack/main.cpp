// attack — a program, by hand: the built texcast receives or plays a genuine stream while somebody forges packets.
// Loopback only, bounded in time. What the program recorded is read again, and each frame says whether it is genuine.
//
//   attack PROGRAM [receive|play] [plain|sealed] [SCENARIO|all] [--from ADDRESS|sender] [--seconds N] [--seed N]
//          [--rate N] [--kind NAME]
//
// --from 127.0.0.2: the forger's address; 127.0.0.1: the sender's host, another port; ::1; sender: the sender's own
// address and port. --seconds 10. --rate 20000 and --kind all are flood's; a rate of 0 shows what is lost without an
// attack. A line each: packets forged; what came of the genuine stream; of `play` how long after it was captured a
// frame was shown; files, lines of the log; the program's processor time in the attack, in per cent of one processor;
// its memory when the attack began, and at most. With ATTACK_LOG set, its log too.
#include <fmt/core.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "scenarios.h"

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

int main(int argc, char** argv) {
  const Task asked = task_of(argc, argv);
  bool is_unharmed = true;
  for (const Scenario& scenario : scenarios()) {
    if (asked.scenario != "all" && asked.scenario != scenario.name) continue;
    Task task = asked;
    task.scenario = scenario.name;
    is_unharmed = scenario.run(task) && is_unharmed;
  }
  return is_unharmed ? 0 : 1;
}
