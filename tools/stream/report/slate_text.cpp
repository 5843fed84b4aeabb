#include "stream/slate_text.h"

#include <fmt/core.h>

#include <algorithm>

#include "stream/receive_texts.h"
#include "transport/stream_ports.h"

namespace texcast::stream {
namespace {

using std::chrono_literals::operator""s;

constexpr nanoseconds kSilence = 1s;      // shorter gaps are not mentioned
constexpr nanoseconds kAdviceAfter = 3s;  // without a first frame, before the text says what to do

std::string firewall_advice(uint16_t port) {
  if (port == 0) return "open its ports in the firewall";
  return fmt::format("open these UDP ports in the firewall: {}", transport::stream_ports_text(port));
}

}  // namespace

std::string minutes_text(nanoseconds time) {
  const int64_t seconds = time / 1s;
  return seconds < 3600 ? fmt::format("{}:{:02}", seconds / 60, seconds % 60)
                        : fmt::format("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
}

std::string arrival_advice(const transport::ReceiveCounters& since, uint64_t unsupported,
                           const transport::Refused& refusal, uint16_t port) {
  const uint64_t most =
      std::max({since.refused, since.oversized, since.outside, since.malformed + since.foreign, since.packets});
  if (unsupported > 0) return "frames are received in a format or size that texcast cannot show; see the log";
  if (most == 0)
    return fmt::format("nothing was received: start `texcast send INPUT rtp://THIS-HOST:{}`, and {}",
                       port == 0 ? "PORT" : std::to_string(port), firewall_advice(port));
  if (most == since.oversized) return too_large_text(since);
  if (most == since.outside) return "packets are received, but from hosts that --from does not list";
  if (most == since.refused) return fmt::format("packets are received, but {}", advice(refusal));
  if (most == since.packets) return "packets are received, but no frame is complete enough to show";
  return fmt::format("packets are received, but no video: {} malformed, {} of other protocols", since.malformed,
                     since.foreign);
}

std::vector<std::string> slate_lines(const SlateFacts& f) {
  std::vector<std::string> lines;
  if (f.had_frames) {
    if (f.quiet < std::max(kSilence, 4 * f.frame_time)) return lines;
    lines.push_back(fmt::format("no signal for {}", minutes_text(f.quiet)));
    lines.push_back(fmt::format("{}, waiting", f.title));
  } else {
    lines.push_back("waiting for " + f.title);
    for (size_t i = 0; i < std::min(f.send_to.size(), kMostUrls); ++i)
      lines.push_back("texcast send INPUT " + f.send_to[i]);
  }
  const bool something_came = f.unsupported + f.since.packets + f.since.refused + f.since.oversized + f.since.outside +
                                  f.since.malformed + f.since.foreign >
                              0;
  if (f.live && f.quiet >= kAdviceAfter && !something_came && !f.had_frames && !f.send_to.empty())
    lines.push_back(f.port == 0 ? "nothing received yet: is the port open in the firewall?"
                                : fmt::format("nothing received yet: are UDP ports {} open in the firewall?",
                                              transport::stream_port_range(f.port)));
  else if (f.live && f.quiet >= kAdviceAfter && (something_came || !f.had_frames))
    lines.push_back(arrival_advice(f.since, f.unsupported, f.refusal, f.port));
  return lines;
}

}  // namespace texcast::stream
