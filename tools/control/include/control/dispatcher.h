// dispatcher.h — looks up a request in the table, and calls the function that the program has bound to that row.
//
// Example:
//     Dispatcher dispatcher(kReceive);
//     dispatcher.property("source", [&] { return Json(source); });
//     dispatcher.command("quit", [&](const Words&) { stop = true; return Json(); });
//     …
//     dispatcher.check();                       // all rows of the table are bound
//     dispatcher.obey(request, std::move(reply));
//
// Not thread-safe: functions are bound and called on one thread.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "control/protocol.h"
#include "control/reply.h"
#include "control/table.h"

namespace texcast::control {

using Words = std::span<const std::string>;  // the arguments of a command

class Dispatcher {
 public:
  // May throw Error, whose message and kind are the answer.
  using Get = std::function<Json()>;
  using Set = std::function<void(const std::string& value)>;
  using Do = std::function<Json(Words words)>;
  // These take the reply and answer later, or throw before they have taken it.
  using SetLater = std::function<void(const std::string& value, Reply& reply)>;
  using DoLater = std::function<void(Words words, Reply& reply)>;

  explicit Dispatcher(Program program);

  // It is misuse if the table has no such row for this program, or has it with another use.
  void property(const char* name, Get get, Set set = {});
  void property_later(const char* name, Get get, SetLater set);
  void command(const char* name, Do act);
  void command_later(const char* name, DoLater act);
  // It is misuse if a row of the program is not bound, except for observe and unobserve, which the server answers.
  void check() const;

  // Answers, at once or later. Never throws because of the request's content.
  void obey(const Request& request, Reply reply) const;

 private:
  struct Property {
    Get get;
    SetLater set;
  };
  Answer answer(const Request& request) const;
  const Property& find_property(const std::string& name) const;
  Json get(Words words) const;
  void set(Words words, Reply& reply) const;
  void toggle(Words words, Reply& reply) const;
  Json properties(Words words) const;
  Json help(Words words) const;

  const Program program_;
  std::map<std::string, Property, std::less<>> properties_;
  std::map<std::string, Do, std::less<>> commands_;
  std::map<std::string, DoLater, std::less<>> later_;
};

// Throws Error{usage} unless there are `least` to `most` words.
void require_words(Words words, size_t least, size_t most, std::string_view usage);
bool parse_truth(const std::string& value);  // accepts true, false, on, off, yes and no; else throws Error{usage}

}  // namespace texcast::control
