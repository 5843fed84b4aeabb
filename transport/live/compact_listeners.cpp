#include "live/compact_listeners.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "textures/stream_format.h"

namespace texcast::stream {
namespace {

constexpr std::string_view kProgram = "texcast/", kCompact = "compact/";

// Replaces everything but printable ASCII, because the text may go to a terminal, and limits its length.
std::string printable(std::string_view text) {
  constexpr size_t kLongest = 40;
  std::string name;
  for (const char c : text.substr(0, kLongest)) name += c >= ' ' && c <= '~' ? c : '?';
  return name;
}

std::string program_of(std::string_view cname, std::string_view tool) {
  if (tool.starts_with(kProgram) || (tool.empty() && cname.starts_with("texcast@"))) return "an older texcast";
  return printable(tool);
}

std::string line_without_transform(const std::string& from, const std::string& program) {
  return fmt::format("{} runs {}, which does not decode transform coding: send with --transform off", from, program);
}

std::string line_of(const std::string& from, const std::string& program) {
  if (program.empty())
    return fmt::format(
        "{} does not announce that it decodes coded streams (UltraGrid?): send with --plain, or --for ultragrid", from);
  return fmt::format("{} runs {}, which does not decode coded streams: send with --plain{}", from, program,
                     program.starts_with("UltraGrid") ? ", or --for ultragrid" : "");
}

}  // namespace

bool reads_compact(std::string_view tool, uint8_t coding) {
  if (!tool.starts_with(kProgram)) return false;
  for (size_t at = tool.find(' '); at != std::string_view::npos; at = tool.find(' ', at)) {
    const std::string_view word = tool.substr(++at);
    unsigned newest = 0;
    if (word.starts_with(kCompact) &&
        std::from_chars(word.data() + kCompact.size(), word.data() + word.size(), newest).ec == std::errc{})
      return newest >= coding;
  }
  return false;
}

void CompactListeners::reported(const std::string& from, const transport::RtcpCompound& report, SteadyTime now) {
  Listener* const listener = find_or_add(from, report.ssrc, now);
  if (listener == nullptr) return;
  if (report.bye || coding_ == 0 || reads_compact(report.tool, coding_)) listener->settled = true;
  if (coding_ == kTransformCoding && reads_compact(report.tool, kLossyCoding)) listener->reads_lossy = true;
  if (std::string name = program_of(report.cname, report.tool); !name.empty()) listener->name = std::move(name);
}

// If there is no room, the receiver that was settled first gives way; if none is settled, nothing is added.
CompactListeners::Listener* CompactListeners::find_or_add(const std::string& from, uint32_t ssrc, SteadyTime now) {
  const auto known = std::ranges::find_if(
      listeners_, [&](const Listener& listener) { return listener.ssrc == ssrc && listener.from == from; });
  if (known != listeners_.end()) return &*known;
  if (listeners_.size() == kMost) {
    const auto settled = std::ranges::find(listeners_, true, &Listener::settled);
    if (settled == listeners_.end()) return nullptr;
    listeners_.erase(settled);
  }
  return &listeners_.emplace_back(Listener{.from = from, .ssrc = ssrc, .first = now});
}

std::vector<std::string> CompactListeners::news(SteadyTime now) {
  std::vector<std::string> lines;
  for (Listener& listener : listeners_) {
    if (listener.settled || now - listener.first < kPatience) continue;
    listener.settled = true;
    if (lines_++ < kMostLines)
      lines.push_back(listener.reads_lossy ? line_without_transform(listener.from, listener.name)
                                           : line_of(listener.from, listener.name));
  }
  return lines;
}

}  // namespace texcast::stream
