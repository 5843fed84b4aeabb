#include "control/table.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

namespace texcast::control {
namespace {

using enum Use;

constexpr std::array kTable = std::to_array<Row>({
    // ---- properties ----
    {"source", "TEXT", kEvery, get, "what is shown, received or sent, as it was named"},
    {"pause", "true|false", kPlay | kSend, get_and_set,
     "whether it stands still; a live stream goes on behind the player's picture"},
    {"position", "SECONDS", kPlay | kSend, get_and_set,
     "of the picture, in its file; null before the first; of a stream its own time"},
    {"duration", "SECONDS", kPlay, get, "of the file; null where it is not known"},
    {"speed", "0.25..4", kPlay, get_and_set, "of files"},
    {"volume", "0..100", kPlay, get_and_set, "per cent"},
    {"mute", "true|false", kPlay, get_and_set, "without sound"},
    {"loop", "true|false", kPlay, get_and_set, "begins again at the end of the file or list"},
    {"fullscreen", "true|false", kPlay, get_and_set, "covers the monitor"},
    {"scale", "fit|fill|1:1", kPlay, get_and_set, "how the picture goes into the window"},
    {"osd", "true|false", kPlay, get_and_set, "the display: what is played, and how well"},
    {"sources", "LIST", kPlay, get, "all that are shown one after the other"},
    {"place", "NUMBER", kPlay, get, "of the source in that list, from 1"},
    {"recording", "TEXT", kPlay | kReceive, get, "the file that is being written; null where there is none"},
    {"format", "FORMAT", kSend, get_and_set, "of the blocks, with a quality that it has"},
    {"quality", "QUALITY", kSend, get_and_set, "with that quality's own method"},
    {"method", "METHOD", kSend, get_and_set, "instead of the quality's own; null where it is that"},
    {"rate", "RATE|none", kSend, get_and_set,
     "the most that goes to each destination, bits a second, as 800M; null: no limit"},
    {"size", "WxH", kSend, get, "of the picture that is sent"},
    {"device", "TEXT", kSend, get, "that encodes"},
    {"destinations", "LIST", kSend, get, "where it is sent"},
    {"statistics", "OBJECT", kEvery, get, "as a line of --stats-json, up to now"},
    {"version", "TEXT", kEvery, get, "of texcast"},
    // ---- commands ----
    {"get", "NAME", kEvery, command, "tells a property"},
    {"set", "NAME VALUE", kEvery, command, "changes a property"},
    {"toggle", "NAME", kEvery, command, "a property that is true becomes false, and back"},
    {"properties", "", kEvery, command, "tells all properties"},
    {"help", "", kEvery, command, "tells what there is here: properties, commands, events"},
    {"observe", "EVENT...", kEvery, command, "from now on events of that name come by themselves"},
    {"unobserve", "EVENT...", kEvery, command, "and no more"},
    {"destination", "add|remove ADDRESS", kSend, command, "as rtp://HOST:PORT; from the next frame on"},
    {"seek", "TIME", kPlay | kSend, command, "to 90 or 1:30; +5 and -5: from where it is, in seconds; of files"},
    {"step", "FRAMES", kPlay, command, "so many on, or back with -1, and pauses; of files"},
    {"screenshot", "[FILE]", kPlay, command,
     "what is on the screen, as PNG; without FILE the first free texcast-1.png"},
    {"record", "start [FILE] | stop", kPlay, command,
     "the stream, into FILE or the first free texcast-1.mov; answers stop when the file is closed"},
    {"next", "", kPlay, command, "the next of the list"},
    {"previous", "", kPlay, command, "the one before"},
    {"say", "TEXT", kPlay, command, "shows a line for a few seconds"},
    {"quit", "", kEvery, command, "ends as Ctrl-C does: recordings are closed"},
    // ---- events ----
    {"statistics", "OBJECT", kEvery, event, "once a second"},
    {"stream", "OBJECT", kSend, event,
     "another size, format or pace: format, width, height, quality, method, rate, device"},
    {"stream", "OBJECT", kPlay | kReceive, event,
     "the first that comes, and another size, format or pace: format, width, height, fps, coding"},
    {"destination", "OBJECT", kSend, event, "one more, or one less: address; what: added or removed"},
    {"receiver", "OBJECT", kSend, event,
     "that reports by RTCP: address; what: joined, or left as it said or is silent"},
    {"pause", "true|false", kPlay | kSend, event, "it stands still, or goes on"},
    {"recording", "OBJECT", kPlay | kReceive, event,
     "what: started, with its file; ended by itself, file; stopped when it is closed, files, frames, bytes, error"},
    {"source", "OBJECT", kPlay, event, "another is shown: source, place"},
    {"end", "OBJECT", kEvery, event, "of the input, and not because somebody ended it: source"},
});

std::string in_code(const std::string& text) {
  std::string escaped;
  for (const char c : text) escaped += c == '|' ? std::string("\\|") : std::string(1, c);
  return "`" + escaped + "`";
}

}  // namespace

const char* name(Program program) {
  switch (program) {
    case kSend: return "send";
    case kPlay: return "play";
    case kReceive: return "receive";
  }
  return "?";
}

std::span<const Row> table() { return kTable; }

const Row* find_row(std::string_view name, Program program, bool is_command) {
  const auto* found = std::ranges::find_if(kTable, [&](const Row& row) {
    return row.name == name && (row.programs & program) != 0 && row.use != event && (row.use == command) == is_command;
  });
  return found == kTable.end() ? nullptr : &*found;
}

std::vector<std::string> events_of(Program program) {
  std::vector<std::string> names;
  for (const Row& row : kTable)
    if (row.use == event && (row.programs & program) != 0) names.emplace_back(row.name);
  return names;
}

std::string words_of(const Row& row) { return *row.type == '\0' ? row.name : fmt::format("{} {}", row.name, row.type); }

std::string programs_text(const Row& row) {
  std::string text;
  for (const Program program : {kSend, kPlay, kReceive})
    if ((row.programs & program) != 0) text.append(text.empty() ? "" : ", ").append(name(program));
  return text;
}

std::string use_text(const Row& row) {
  switch (row.use) {
    case get: return "get";
    case get_and_set: return "get, set";
    case command: return "command";
    case event: return "event";
  }
  return "";
}

std::string table_as_markdown() {
  std::string text = "| name and values | what | where | about |\n|---|---|---|---|\n";
  for (const Row& row : kTable)
    text +=
        fmt::format("| {} | {} | {} | {} |\n", in_code(words_of(row)), use_text(row), programs_text(row), row.about);
  return text;
}

}  // namespace texcast::control
