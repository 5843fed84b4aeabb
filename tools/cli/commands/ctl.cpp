// ctl.cpp — `texcast ctl`: sends a command to a texcast that runs with --control, or prints its events.
#include <fmt/core.h>
#include <signal.h>

#include <cstdio>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "control/client.h"
#include "texcast/error.h"

namespace texcast::cli {
namespace {

// Prints what the other program can do: its own rows of the table.
void print_help(const std::vector<control::HelpRow>& rows) {
  for (const control::HelpRow& row : rows)
    fmt::print("{:<9} {:<30} {}\n", row.use, row.type.empty() ? row.name : row.name + " " + row.type, row.about);
}

// Signals end the program at once, also while it waits for an answer: there is nothing to clean up.
void end_on_signals() {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) signal(number, SIG_DFL);
}

[[noreturn]] void throw_failure(const control::Message& answer) {
  const bool known =
      answer.code >= static_cast<int>(ErrorKind::failed) && answer.code < static_cast<int>(ErrorKind::misuse);
  throw Error(known ? static_cast<ErrorKind>(answer.code) : ErrorKind::failed, answer.error);
}

// Prints a line for each event, until the other program ends or stdout is closed.
void watch(control::Client& client, const CtlOptions& o) {
  std::vector<std::string> words = {"observe"};
  words.insert(words.end(), o.words.begin() + 1, o.words.end());
  if (words.size() == 1) words.emplace_back("statistics");
  if (const control::Message answer = client.ask(words); !answer.error.empty()) throw_failure(answer);
  while (const auto event = client.next_event()) {
    fmt::print("{}\n", event->line);
    if (std::fflush(stdout) != 0) return;
  }
}

}  // namespace

int run_ctl(const CtlOptions& o) {
  end_on_signals();
  control::Client client(o.path);
  if (o.words[0] == "watch") return watch(client, o), 0;
  const control::Message answer = client.ask(o.words);
  if (!answer.error.empty()) throw_failure(answer);
  if (o.json)
    fmt::print("{}\n", answer.data_json);
  else if (o.words[0] == "help")
    print_help(control::parse_help(answer));
  else if (!answer.data_words.empty())
    fmt::print("{}\n", answer.data_words);
  return 0;
}

}  // namespace texcast::cli
