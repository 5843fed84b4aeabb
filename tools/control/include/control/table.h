// table.h — what a running texcast can be asked for, a row a property and a row a command. `texcast ctl PATH help`, the
// man page, docs/control.md and the programs themselves are made from it: a Dispatcher refuses to begin unless it has
// all rows of its program, and no other.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace texcast::control {

// The subcommands that can be steered; bits of Row::programs.
enum Program : unsigned { kSend = 1, kPlay = 2, kReceive = 4 };
inline constexpr unsigned kEvery = kSend | kPlay | kReceive;
const char* name(Program program);  // "send"

enum class Use { get, get_and_set, command, event };

struct Row {
  const char* name;
  const char* type;  // of a property its values, of a command its words: "true|false", "[FILE]"; may be empty
  unsigned programs;
  Use use;
  const char* about;
};

std::span<const Row> table();
const Row* find_row(std::string_view name, Program program, bool is_command);  // null: there is none
std::vector<std::string> events_of(Program program);

// For people: what each is, and where. One line a row.
std::string words_of(const Row& row);       // "set NAME VALUE", "volume 0..100"
std::string programs_text(const Row& row);  // "send, play"
std::string use_text(const Row& row);       // "get, set", "command"
std::string table_as_markdown();            // as docs/control.md has it

}  // namespace texcast::control
