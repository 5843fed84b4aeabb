#include "control/table.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

namespace texcast::control {
namespace {

using enum Use;

constexpr std::array kTable = std::to_array<Row>({
    // ---- properties ----
    {"source", "TEXT", kEvery, get, "the source that is played, received, sent or relayed, as it was named"},
    {"pause", "true|false", kPlay | kSend, get_and_set, "paused; a live stream goes on in the background"},
    {"position", "SECONDS", kPlay | kSend, get_and_set,
     "time of the picture in the file, or of a stream its time stamp; null before the first picture"},
    {"duration", "SECONDS", kPlay, get, "duration of the file; null if unknown"},
    {"speed", "0.25..4", kPlay, get_and_set, "playback speed of files"},
    {"volume", "0..100", kPlay, get_and_set, "volume in per cent"},
    {"mute", "true|false", kPlay, get_and_set, "audio is muted"},
    {"loop", "true|false", kPlay, get_and_set, "restarts at the end of the file or playlist"},
    {"fullscreen", "true|false", kPlay, get_and_set, "fullscreen window"},
    {"scale", "fit|fill|1:1", kPlay, get_and_set, "how the picture is scaled to the window"},
    {"osd", "true|false", kPlay, get_and_set, "on-screen display of statistics"},
    {"sources", "LIST", kPlay, get, "the playlist"},
    {"place", "NUMBER", kPlay, get, "position of the source in the playlist, from 1"},
    {"recording", "TEXT", kPlay | kReceive, get, "the file that is being written; null if there is none"},
    {"format", "FORMAT", kSend, get_and_set, "texture format; it must support the current quality"},
    {"quality", "QUALITY", kSend, get_and_set, "encoding quality, with its own method"},
    {"method", "METHOD", kSend, get_and_set, "encoding method; null: the quality's own"},
    {"rate", "RATE|none", kSend, get_and_set,
     "maximum send rate to each destination in bits per second, as 800M; null: no limit"},
    {"crf", "N|none", kSend, get_and_set,
     "quality of a lossy stream, 0 to 51, from the next frame on; null: none, or the stream is lossless"},
    {"bitrate", "RATE|MIN:MAX|none", kSend, get_and_set,
     "bit rate of a lossy stream in bits per second, as 30M, from the next frame on; null: no limit"},
    {"size", "WxH", kSend, get, "size of the picture that is sent"},
    {"device", "TEXT", kSend, get, "the device that encodes"},
    {"destinations", "LIST", kSend | kRelay, get, "addresses of the destinations"},
    {"statistics", "OBJECT", kEvery, get, "the statistics of --stats-json, up to now"},
    {"timing", "OBJECT", kPlay, get,
     "the last frame shown, when it was due and shown, frames late and missed, and how good the clock is "
     "(docs/wall.md)"},
    {"version", "TEXT", kEvery, get, "version of texcast"},
    // ---- commands ----
    {"get", "NAME", kEvery, command, "returns a property"},
    {"set", "NAME VALUE", kEvery, command, "sets a property"},
    {"toggle", "NAME", kEvery, command, "inverts a property that is true or false"},
    {"properties", "", kEvery, command, "returns all properties"},
    {"help", "", kEvery, command, "lists the properties, commands and events"},
    {"observe", "EVENT...", kEvery, command, "starts sending events of these names"},
    {"unobserve", "EVENT...", kEvery, command, "stops sending events of these names"},
    {"destination", "add|remove ADDRESS", kSend | kRelay, command,
     "adds or removes rtp://HOST:PORT from the next frame on"},
    {"seek", "TIME", kPlay | kSend, command, "seeks in a file to 90 or 1:30; +5 and -5 are relative, in seconds"},
    {"step", "FRAMES", kPlay, command, "pauses a file, and steps so many frames forward, or with -1 back"},
    {"screenshot", "[FILE]", kPlay, command, "saves the screen as PNG, to FILE or the first free texcast-1.png"},
    {"record", "start [FILE] | stop", kPlay, command,
     "records the stream to FILE or the first free texcast-1.mov; `stop` is answered when the file is closed"},
    {"next", "", kPlay, command, "plays the next source of the playlist"},
    {"previous", "", kPlay, command, "plays the previous source of the playlist"},
    {"say", "TEXT", kPlay, command, "shows a line of text for a few seconds"},
    {"quit", "", kEvery, command, "closes recordings and ends, with exit code 0"},
    // ---- events ----
    {"statistics", "OBJECT", kEvery, event, "sent once a second"},
    {"stream", "OBJECT", kSend, event,
     "the stream has changed: format, width, height, quality, method, rate, crf, "
     "bitrate, device"},
    {"stream", "OBJECT", kPlay | kReceive | kRelay, event,
     "a stream has started or changed: format, width, height, fps, coding"},
    {"destination", "OBJECT", kSend | kRelay, event,
     "a destination was added or removed: address, what (added, removed)"},
    {"receiver", "OBJECT", kSend | kRelay, event,
     "a receiver that reports by RTCP: address, what (joined; left: by BYE or timeout)"},
    {"pause", "true|false", kPlay | kSend, event, "playback was paused or resumed"},
    {"recording", "OBJECT", kPlay | kReceive, event,
     "what (started: file; ended by itself: file; stopped and closed: files, frames, bytes, error)"},
    {"source", "OBJECT", kPlay, event, "the next source is played: source, place"},
    {"end", "OBJECT", kEvery, event, "the input has ended by itself: source"},
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
    case kRelay: return "relay";
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
  for (const Program program : {kSend, kPlay, kReceive, kRelay})
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
