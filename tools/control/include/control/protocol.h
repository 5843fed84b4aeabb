// protocol.h — the lines that go through a control socket: JSON objects, one a line, as mpv's IPC has them.
//
//     {"command": ["set", "volume", 50], "request_id": 1}            a client asks
//     {"error": "success", "data": null, "request_id": 1}            and is answered
//     {"event": "statistics", "data": {…}}                           comes by itself to clients that observe it
//
// Bytes in, values out: nothing here throws for what a line has in it. No state but LineReader's; any thread.
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

// Of one line, its end not counted.
inline constexpr size_t kMostLineBytes = size_t{64} << 10;
inline constexpr size_t kMostWords = 64;  // of one command

// Cuts what comes into lines. Holds kMostLineBytes and what one add() brought at most.
class LineReader {
 public:
  void add(std::string_view bytes) { held_ += bytes; }
  // The next whole line, without its end (LF or CR LF).
  std::optional<std::string> next();
  bool has_line() const { return !too_long_ && held_.find('\n') != std::string::npos; }
  // A line has become longer than kMostLineBytes. What comes after is of no use.
  bool too_long() const { return too_long_; }

 private:
  std::string held_;
  size_t searched_ = 0;  // no end of line is before
  bool too_long_ = false;
};

struct Request {
  std::vector<std::string> words;  // the command's name first; one at least. Numbers and truth values as JSON has them
  int64_t id = 0;                  // 0: none was given
  std::string wrong;               // not empty: the line is no request, and this says why; `words` is empty
};
Request parse_request(std::string_view line);
// A line without its end.
std::string request_line(const std::vector<std::string>& words, int64_t id);

struct Answer {
  Json data{};        // null where there is nothing to tell
  std::string error;  // empty: success; else a line for a person
  ErrorKind kind = ErrorKind::failed;

  static Answer success(Json data = {}) { return {.data = std::move(data), .error = {}}; }
  static Answer failure(ErrorKind kind, std::string why) { return {.error = std::move(why), .kind = kind}; }
};
// {"error": "success", "data": …, "request_id": 1}; of a failure {"error": why, "code": its exit code, "request_id": 1}
std::string answer_line(const Answer& answer, int64_t id);
std::string event_line(std::string_view event, const Json& data);

// What a client reads: an answer or an event.
struct Message {
  std::string event;       // its name; empty: an answer
  std::string error;       // of an answer; empty: success
  int code = 0;            // of a failure: its exit code
  int64_t id = 0;          // of an answer
  std::string line;        // as it came
  std::string data_json;   // indented; "null"
  std::string data_words;  // for people: a text without quotes, a list one a line; other things as JSON
};
std::optional<Message> parse_message(std::string_view line);  // none: it is neither

}  // namespace texcast::control
