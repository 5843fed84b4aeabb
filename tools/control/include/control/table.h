// table.h — the properties, commands and events of remote control, one row each. `texcast ctl PATH help`, the man page
// and docs/control.md have its rows, and a Dispatcher checks that its program binds exactly these rows.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace texcast::control {

// The subcommands with --control; bits of Row::programs.
enum Program : unsigned { kSend = 1, kPlay = 2, kReceive = 4, kRelay = 8 };
inline constexpr unsigned kEvery = kSend | kPlay | kReceive | kRelay;
const char* name(Program program);  // "send"

enum class Use { get, get_and_set, command, event };

struct Row {
  const char* name;
  const char* type;  // values of a property, arguments of a command: "true|false", "[FILE]"; may be empty
  unsigned programs;
  Use use;
  const char* about;
};

std::span<const Row> table();
const Row* find_row(std::string_view name, Program program, bool is_command);  // nullptr: there is none
std::vector<std::string> events_of(Program program);

// Texts for help and documents.
std::string words_of(const Row& row);       // "set NAME VALUE", "volume 0..100"
std::string programs_text(const Row& row);  // "send, play"
std::string use_text(const Row& row);       // "get, set", "command"
std::string table_as_markdown();            // for docs/control.md

}  // namespace texcast::control
