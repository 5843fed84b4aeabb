// Any bytes on a control socket: split into lines, parsed, executed and answered. The first byte selects the size of
// the pieces in which they arrive. Every answer can be parsed, and respects the length limit.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "control/dispatcher.h"
#include "control/protocol.h"
#include "texcast/error.h"

using namespace texcast;
using namespace texcast::control;

namespace {

Dispatcher receiver(std::string& kept) {
  Dispatcher rows(kReceive);
  rows.property("source", [&kept] { return Json(kept); });
  rows.property("recording", [] { return Json(); });
  rows.property("statistics", [] { return Json::object({{"frames", 1}}); });
  rows.property("version", []() -> Json { throw Error(ErrorKind::failed, "none"); });
  rows.command("quit", [&kept](Words words) {
    kept = words.empty() ? "" : words[0];
    return Json(kept);
  });
  return rows;
}

void check_answer(const Answer& answer, int64_t id) {
  const auto message = parse_message(answer_line(answer, id));
  if (!message || message->id != id || message->error.empty() != answer.error.empty()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  std::string kept;
  const Dispatcher rows = receiver(kept);
  std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  static_cast<void>(parse_message(bytes));
  const size_t piece = size_t{1} + data[0] * data[0];
  LineReader lines;
  while (!bytes.empty()) {
    lines.add(bytes.substr(0, piece));
    bytes.remove_prefix(std::min(piece, bytes.size()));
    while (const auto line = lines.next()) {
      if (line->size() > kMostLineBytes) std::abort();
      const Request request = parse_request(*line);
      if (request.wrong.empty() != !request.words.empty() || request.words.size() > kMostWords) std::abort();
      bool answered = false;
      rows.obey(request, Reply([&](const Answer& answer) {
                  answered = true;
                  check_answer(answer, request.id);
                }));
      if (!answered) std::abort();
      // A parsed request can be written, and is the same when it is parsed again.
      if (request.wrong.empty() && parse_request(request_line(request.words, request.id)).words != request.words)
        std::abort();
    }
  }
  return 0;
}
