// protocol.h — the lines of a control socket: one JSON object per line, as in mpv's IPC.
//
//     {"command": ["set", "volume", 50], "request_id": 1}            a request
//     {"error": "success", "data": null, "request_id": 1}            its answer
//     {"event": "statistics", "data": {…}}                           an event, for clients that observe it
//
// Nothing here throws because of a line's content. Functions may be called on any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "texcast/error.h"
#include "text/json_text.h"

namespace texcast::control {

// Length of a line, without its end.
inline constexpr size_t kMostLineBytes = size_t{64} << 10;
inline constexpr size_t kMostWords = 64;  // in one command

// Splits received bytes into lines. Holds at most kMostLineBytes and the bytes of one add().
class LineReader {
 public:
  void add(std::string_view bytes) { held_ += bytes; }
  // The next complete line, without its end (LF or CR LF).
  std::optional<std::string> next();
  bool has_line() const { return !too_long_ && held_.find('\n') != std::string::npos; }
  // A line is longer than kMostLineBytes. Later bytes are ignored.
  bool too_long() const { return too_long_; }

 private:
  std::string held_;
  size_t searched_ = 0;  // there is no end of line before this index
  bool too_long_ = false;
};

struct Request {
  std::vector<std::string> words;  // at least one; the command's name first. Numbers and booleans as in JSON
  int64_t id = 0;                  // 0: none was given
  std::string wrong;               // why the line is not a request, and `words` is empty; empty: it is one
};
Request parse_request(std::string_view line);
// Returns a line without its end.
std::string request_line(const std::vector<std::string>& words, int64_t id);

struct Answer {
  Json data{};        // null: no data
  std::string error;  // empty: success; else a message of one line
  ErrorKind kind = ErrorKind::failed;

  static Answer success(Json data = {}) { return {.data = std::move(data), .error = {}}; }
  static Answer failure(ErrorKind kind, std::string why) { return {.error = std::move(why), .kind = kind}; }
};
// {"error": "success", "data": …, "request_id": 1}; a failure: {"error": message, "code": exit code, "request_id": 1}
std::string answer_line(const Answer& answer, int64_t id);
std::string event_line(std::string_view event, const Json& data);

// A line that a client receives: an answer or an event.
struct Message {
  std::string event;       // name of the event; empty: an answer
  std::string error;       // error message of an answer; empty: success
  int code = 0;            // exit code of a failure
  int64_t id = 0;          // request of an answer
  std::string line;        // the line itself
  std::string data_json;   // indented; "null"
  std::string data_words;  // as text: a string without quotes, a list with one element per line, others as JSON
};
std::optional<Message> parse_message(std::string_view line);  // none: neither an answer nor an event

// A row in the answer to `help`: a property, command or event of the program that answered.
struct HelpRow {
  std::string name, use, type, about;  // as in table.h; `use` is use_text()
};
std::vector<HelpRow> parse_help(const Message& answer);  // empty if it answers something else

}  // namespace texcast::control
