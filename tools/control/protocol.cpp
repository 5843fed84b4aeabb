#include "control/protocol.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "control/timing.h"

namespace texcast::control {
namespace {

using json = nlohmann::ordered_json;  // keeps the order of members

Request no_request(int64_t id, std::string why) { return {.words = {}, .id = id, .wrong = std::move(why)}; }

// Without exceptions: the value of a line that is not JSON is `discarded`.
json parsed(std::string_view line) { return json::parse(line.begin(), line.end(), nullptr, false); }

std::string dumped(const json& value, int indent) {
  return value.dump(indent, ' ', false, json::error_handler_t::replace);
}

int64_t integer(const json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_number_integer() ? found->get<int64_t>() : 0;
}

std::string text(const json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

std::optional<double> decimal(const json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_number() ? std::optional(found->get<double>()) : std::nullopt;
}

uint64_t count(const json& object, const char* name) {
  const int64_t value = integer(object, name);
  return value > 0 ? static_cast<uint64_t>(value) : 0;
}

// A member that is an object; empty if there is none.
json member(const json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_object() ? *found : json::object();
}

std::string in_words(const json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_null()) return "";
  if (!value.is_array()) return dumped(value, 2);
  std::string lines;
  for (const json& element : value) {
    if (!lines.empty()) lines += '\n';
    lines += element.is_string() ? element.get<std::string>() : dumped(element, 0);
  }
  return lines;
}

}  // namespace

std::optional<std::string> LineReader::next() {
  const size_t end = held_.find('\n', searched_);
  if (end == std::string::npos ? held_.size() > kMostLineBytes : end > kMostLineBytes) too_long_ = true;
  if (too_long_ || end == std::string::npos) {
    if (too_long_) held_.clear();
    searched_ = held_.size();
    return std::nullopt;
  }
  std::string line = held_.substr(0, end);
  held_.erase(0, end + 1);
  searched_ = 0;
  if (line.ends_with('\r')) line.pop_back();
  return line;
}

Request parse_request(std::string_view line) {
  const json request = parsed(line);
  if (!request.is_object()) return no_request(0, R"(invalid request; send {"command": [NAME, …], "request_id": N})");
  const auto id_given = request.find("request_id");
  if (id_given != request.end() && !id_given->is_number_integer()) return no_request(0, "request_id is not an integer");
  const int64_t id = integer(request, "request_id");
  const auto command = request.find("command");
  if (command == request.end() || !command->is_array() || command->empty())
    return no_request(id, R"("command" must be a list that begins with the command's name)");
  if (command->size() > kMostWords) return no_request(id, "the command has too many words");
  Request made{.words = {}, .id = id, .wrong = {}};
  for (const json& word : *command) {
    if (!word.is_string() && !word.is_number() && !word.is_boolean())
      return no_request(id, "the command's words must be strings, numbers, true or false");
    made.words.push_back(word.is_string() ? word.get<std::string>() : word.dump());
    if (made.words.back().find('\0') != std::string::npos) return no_request(id, "a word contains NUL");
  }
  return made;
}

std::string request_line(const std::vector<std::string>& words, int64_t id) {
  return Json::object({{"command", words}, {"request_id", id}}).text();
}

std::string answer_line(const Answer& answer, int64_t id) {
  if (answer.error.empty())
    return Json::object({{"error", "success"}, {"data", answer.data}, {"request_id", id}}).text();
  return Json::object({{"error", answer.error}, {"code", static_cast<int>(answer.kind)}, {"request_id", id}}).text();
}

std::string event_line(std::string_view event, const Json& data) {
  return Json::object({{"event", event}, {"data", data}}).text();
}

std::optional<Message> parse_message(std::string_view line) {
  const json object = parsed(line);
  if (!object.is_object()) return std::nullopt;
  Message message{.event = text(object, "event"),
                  .error = text(object, "error"),
                  .code = static_cast<int>(integer(object, "code")),
                  .id = integer(object, "request_id"),
                  .line = std::string(line),
                  .data_json = {},
                  .data_words = {}};
  if (message.event.empty() && message.error.empty()) return std::nullopt;
  if (message.error == "success") message.error.clear();
  const auto data = object.find("data");
  const json value = data != object.end() ? *data : json();
  message.data_json = dumped(value, 2);
  message.data_words = in_words(value);
  return message;
}

std::optional<PlayerTiming> parse_timing(const Message& answer) {
  const json data = parsed(answer.data_json);
  if (!answer.error.empty() || !data.is_object() || !data.contains("frames") || !data.contains("clock"))
    return std::nullopt;
  const json frames = member(data, "frames"), clock = member(data, "clock");
  return PlayerTiming{.has_frame = decimal(data, "frame").has_value(),
                      .frame = count(data, "frame"),
                      .stamp_ns = integer(data, "stamp_ns"),
                      .due_ns = integer(data, "due_ns"),
                      .shown_ns = integer(data, "shown_ns"),
                      .delay_ms = decimal(data, "delay_ms"),
                      .behind_ms = decimal(data, "behind_ms"),
                      .refresh_ms = decimal(data, "refresh_ms").value_or(0),
                      .shown = count(frames, "shown"),
                      .late = count(frames, "late"),
                      .early = count(frames, "early"),
                      .missed = count(frames, "missed"),
                      .by_system = clock.value("system", json(false)) == json(true),
                      .clock = text(clock, "kept_by"),
                      .error_ms = decimal(clock, "error_ms"),
                      .now_ns = integer(clock, "now_ns")};
}

std::vector<HelpRow> parse_help(const Message& answer) {
  std::vector<HelpRow> rows;
  const json list = parsed(answer.data_json);
  if (!list.is_array()) return rows;
  for (const json& row : list)
    if (row.is_object())
      rows.push_back(
          {.name = text(row, "name"), .use = text(row, "use"), .type = text(row, "type"), .about = text(row, "about")});
  return rows;
}

}  // namespace texcast::control
