#include "control/dispatcher.h"

#include <fmt/core.h>

#include <exception>
#include <memory>
#include <utility>

#include "base/ensure.h"
#include "texcast/error.h"
#include "text/nearest.h"

namespace texcast::control {
namespace {

Answer answer_of(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const Error& error) {
    return Answer::failure(error.kind(), error.what());
  } catch (const std::exception& error) {
    return Answer::failure(ErrorKind::failed, error.what());
  }
}

// "; did you mean volume?"
std::string meant(const std::string& word, Program program, bool is_command) {
  std::vector<std::string> names;
  for (const Row& row : table())
    if ((row.programs & program) != 0 && row.use != Use::event && (row.use == Use::command) == is_command)
      names.emplace_back(row.name);
  return did_you_mean(word, names);
}

}  // namespace

void require_words(Words words, size_t least, size_t most, std::string_view usage) {
  if (words.size() < least || words.size() > most) throw Error(ErrorKind::usage, fmt::format("usage: {}", usage));
}

bool parse_truth(const std::string& value) {
  if (value == "true" || value == "on" || value == "yes") return true;
  if (value == "false" || value == "off" || value == "no") return false;
  throw Error(ErrorKind::usage, fmt::format("invalid value '{}'; give true or false", value));
}

Dispatcher::Dispatcher(Program program) : program_(program) {
  command("get", [this](Words words) { return get(words); });
  command_later("set", [this](Words words, Reply& reply) { set(words, reply); });
  command_later("toggle", [this](Words words, Reply& reply) { toggle(words, reply); });
  command("properties", [this](Words words) { return properties(words); });
  command("help", [this](Words words) { return help(words); });
}

void Dispatcher::property(const char* name, Get get, Set set) {
  if (!set) return property_later(name, std::move(get), {});
  property_later(name, std::move(get), [set = std::move(set)](const std::string& value, Reply& reply) {
    set(value);
    reply.answer(Answer::success());
  });
}

void Dispatcher::property_later(const char* name, Get get, SetLater set) {
  const Row* row = find_row(name, program_, false);
  ENSURE(row != nullptr && (row->use == Use::get_and_set) == static_cast<bool>(set));
  properties_[name] = {std::move(get), std::move(set)};
}

void Dispatcher::command(const char* name, Do act) {
  ENSURE(find_row(name, program_, true) != nullptr);
  commands_[name] = std::move(act);
}

void Dispatcher::command_later(const char* name, DoLater act) {
  ENSURE(find_row(name, program_, true) != nullptr);
  later_[name] = std::move(act);
}

void Dispatcher::check() const {
  for (const Row& row : table()) {
    const std::string_view name = row.name;
    if ((row.programs & program_) == 0 || row.use == Use::event || name == "observe" || name == "unobserve") continue;
    ENSURE(row.use == Use::command ? commands_.contains(name) || later_.contains(name) : properties_.contains(name));
  }
}

void Dispatcher::obey(const Request& request, Reply reply) const {
  const auto later = request.wrong.empty() ? later_.find(request.words.front()) : later_.end();
  if (later == later_.end()) return reply.answer(answer(request));
  try {
    later->second(Words(request.words).subspan(1), reply);
  } catch (const std::exception&) {
    reply.answer(answer_of(std::current_exception()));
  }
}

Answer Dispatcher::answer(const Request& request) const {
  if (!request.wrong.empty()) return Answer::failure(ErrorKind::usage, request.wrong);
  const auto found = commands_.find(request.words.front());
  if (found == commands_.end())
    return Answer::failure(ErrorKind::usage,
                           fmt::format("'{}' is not a command of {}; `help` lists them{}", request.words.front(),
                                       name(program_), meant(request.words.front(), program_, true)));
  try {
    return Answer::success(found->second(Words(request.words).subspan(1)));
  } catch (const std::exception&) {
    return answer_of(std::current_exception());
  }
}

const Dispatcher::Property& Dispatcher::find_property(const std::string& name) const {
  const auto found = properties_.find(name);
  if (found == properties_.end())
    throw Error(ErrorKind::usage, fmt::format("'{}' is not a property of {}; `help` lists them{}", name,
                                              control::name(program_), meant(name, program_, false)));
  return found->second;
}

Json Dispatcher::get(Words words) const {
  require_words(words, 1, 1, "get NAME");
  return find_property(words[0]).get();
}

void Dispatcher::set(Words words, Reply& reply) const {
  require_words(words, 2, 2, "set NAME VALUE");
  const Property& property = find_property(words[0]);
  if (!property.set) throw Error(ErrorKind::usage, fmt::format("{} is read-only", words[0]));
  property.set(words[1], reply);
}

void Dispatcher::toggle(Words words, Reply& reply) const {
  require_words(words, 1, 1, "toggle NAME");
  const Property& property = find_property(words[0]);
  const std::string now = property.get().text();
  if (!property.set || (now != "true" && now != "false"))
    throw Error(ErrorKind::usage, fmt::format("{} cannot be toggled: it is read-only, or not true or false", words[0]));
  const bool then = now == "false";
  // The answer is the new value.
  auto asked = std::make_shared<Reply>(std::move(reply));
  Reply telling(
      [asked, then](const Answer& answer) { asked->answer(answer.error.empty() ? Answer::success(then) : answer); });
  try {
    property.set(then ? "true" : "false", telling);
  } catch (const std::exception&) {
    telling.answer(answer_of(std::current_exception()));
  }
}

Json Dispatcher::properties(Words words) const {
  require_words(words, 0, 0, "properties");
  Json all = Json::object();
  for (const auto& [name, property] : properties_) all[name] = property.get();
  return all;
}

Json Dispatcher::help(Words words) const {
  require_words(words, 0, 0, "help");
  Json rows = Json::array();
  for (const Row& row : table()) {
    if ((row.programs & program_) == 0) continue;
    rows.push(Json::object({{"name", row.name}, {"use", use_text(row)}, {"type", row.type}, {"about", row.about}}));
  }
  return rows;
}

}  // namespace texcast::control
