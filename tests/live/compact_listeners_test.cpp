// Detection, by RTCP reports, of receivers that cannot decode a coded stream.
#include "live/compact_listeners.h"

#include <doctest/doctest.h>

#include <array>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../patience.h"
#include "live/datagrams.h"
#include "live/destinations.h"
#include "stream/paced_sender.h"
#include "texcast/log.h"
#include "textures/stream_format.h"
#include "transport/rtcp.h"
#include "transport/udp_socket.h"

using namespace texcast;
using namespace texcast::stream;
using namespace std::chrono_literals;
using transport::RtcpCompound;

namespace {

const SteadyTime kBegin{100s};
const std::string kOurs = rtcp_tool();

// The lines caused by one receiver with these reports, and their times in milliseconds.
std::vector<std::pair<int64_t, std::string>> lines_of(const std::vector<std::pair<int64_t, RtcpCompound>>& reports) {
  CompactListeners listeners(1);
  std::vector<std::pair<int64_t, std::string>> lines;
  for (int64_t ms = 0; ms < 20'000; ms += 100) {
    for (const auto& [at, report] : reports)
      if (at == ms) listeners.reported("10.0.0.2:5004", report, kBegin + ms * 1ms);
    for (const std::string& line : listeners.news(kBegin + ms * 1ms)) lines.emplace_back(ms, line);
  }
  return lines;
}

RtcpCompound of(std::string_view cname, std::string_view tool = {}) {
  return {.ssrc = 7, .cname = cname, .tool = tool};
}

}  // namespace

TEST_CASE("a receiver's TOOL announces the codings that it decodes: words, and the newest version") {
  CHECK(reads_compact("texcast/0.1.0 compact/1", 1));
  CHECK(reads_compact("texcast/2.0 other/9 compact/12 more", 12));
  CHECK(reads_compact(rtcp_tool(), 1));
  CHECK(rtcp_tool().size() <= transport::kMaxToolBytes);
  for (const char* no :
       {"", "texcast/0.1.0", "texcast/0.1.0 compact/0", "texcast/0.1.0 compact/", "texcast/0.1.0 compact/x",
        "texcast/0.1.0 incompact/1", "UltraGrid 1.10", "UltraGrid compact/1", "compact/1", " compact/1"})
    CHECK_MESSAGE(!reads_compact(no, 1), no);
  CHECK_FALSE(reads_compact("texcast/0.1.0 compact/1", 2));
}

TEST_CASE("a receiver that reports for some time without announcing coded streams is named, once") {
  // CNAME and TOOL of a stock UltraGrid.
  auto lines = lines_of({{500, of("root@::ffff:127.0.0.1")}, {4000, of("root@::ffff:127.0.0.1")}});
  REQUIRE(lines.size() == 1);
  CHECK(lines[0] == std::pair<int64_t, std::string>(
                        3000,
                        "10.0.0.2:5004 does not announce that it decodes coded streams (UltraGrid?): send "
                        "with --plain, or --for ultragrid"));
  lines = lines_of(
      {{500, of("root@10.0.0.2")}, {2500, of("root@10.0.0.2", "UltraGrid 1.10")}, {9000, of("root@10.0.0.2")}});
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].first == 3000);
  CHECK(lines[0].second ==
        "10.0.0.2:5004 runs UltraGrid 1.10, which does not decode coded streams: send with --plain, or --for "
        "ultragrid");
  for (const auto& report : {of("texcast@there"), of("texcast@there", "texcast/0.0.9")}) {
    lines = lines_of({{0, report}});
    REQUIRE(lines.size() == 1);
    CHECK(lines[0].second ==
          "10.0.0.2:5004 runs an older texcast, which does not decode coded streams: send with --plain");
  }
}

TEST_CASE("a receiver that decodes lossy streams, but not with transform coding, is named with what it would read") {
  const auto line_of = [](uint8_t coding, std::string_view tool) {
    CompactListeners listeners(coding);
    listeners.reported("10.0.0.2:5004", of("texcast@there", tool), kBegin);
    const auto lines = listeners.news(kBegin + 3s);
    return lines.empty() ? std::string() : lines[0];
  };
  CHECK(line_of(kTransformCoding, "texcast/0.2.0 compact/3") ==
        "10.0.0.2:5004 runs an older texcast, which does not decode transform coding: send with --transform off");
  CHECK(line_of(kTransformCoding, "texcast/0.1.0 compact/1")
            .ends_with("which does not decode coded streams: send with --plain"));
  CHECK(line_of(kTransformCoding, "texcast/0.3.0 compact/4").empty());
  CHECK(line_of(kTransformCoding, kOurs).empty());
  CHECK(line_of(kLossyCoding, "texcast/0.2.0 compact/3").empty());
  CHECK(line_of(0, "UltraGrid 1.10").empty());  // the stream has become raw
}

TEST_CASE("a receiver that decodes coded streams, has left, or is gone is not named") {
  CHECK(lines_of({{0, of("texcast@there", kOurs)}, {5000, of("texcast@there", kOurs)}}).empty());
  RtcpCompound leaves = of("root@10.0.0.2");
  leaves.bye = true;
  CHECK(lines_of({{0, of("root@10.0.0.2")}, {1500, leaves}}).empty());
  CHECK(lines_of({{0, of("texcast@there")}, {1000, of("texcast@there", kOurs)}}).empty());
}

TEST_CASE("a stranger's name cannot control the terminal") {
  const std::string evil = "\x1b]0;evil\x07 Ultra\r\n" + std::string(200, 'A');
  const auto lines = lines_of({{0, of("x", evil)}});
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].second.size() < 160);
  for (const char c : lines[0].second) CHECK((c >= ' ' && c <= '~'));
}

TEST_CASE("forged reports cause few lines and little memory, and genuine receivers still count") {
  CompactListeners listeners(1);
  size_t lines = 0;
  for (int i = 0; i < 5000; ++i) {
    const SteadyTime now = kBegin + i * 10ms;
    const std::string tool = i % 50 == 0 ? kOurs : "UltraGrid 1.10";
    RtcpCompound report = of("a@b", tool);
    report.ssrc = static_cast<uint32_t>(i);
    listeners.reported("10.0.0." + std::to_string(i % 200) + ":5004", report, now);
    lines += listeners.news(now).size();
  }
  CHECK(lines == CompactListeners::kMostLines);
}

TEST_CASE("over sockets: a receiver of texcast announces coded streams, and another one causes a warning") {
  std::mutex mutex;
  std::vector<std::string> warnings;
  set_log_function([&](LogLevel level, std::string_view line) {
    const std::lock_guard lock(mutex);
    // A busy machine may cause other warnings.
    if (level == LogLevel::warning && line.find("coded streams") != line.npos) warnings.emplace_back(line);
  });
  {
    UdpDatagrams ours(transport::resolve_address("rtp://127.0.0.1:0", true));
    transport::UdpReceiver theirs({.address = transport::resolve_address("rtp://127.0.0.1:0", true), .control = true});
    const std::string name = "127.0.0.1:" + std::to_string(theirs.port());
    Destinations destinations({"rtp://127.0.0.1:" + std::to_string(ours.port()), "rtp://" + name}, {}, true,
                              IfExists::refuse, true);
    AutoResetEvent progress;
    const auto sender = make_compact_sender(destinations, {.fps = 50}, {.width = 64, .height = 64}, {}, progress,
                                            new_identity({.fps = 50}));
    const std::array<std::byte, 40> payload{};
    const std::array<Bytes, 1> payloads{Bytes(payload)};
    // A stock receiver, which drops the whole stream, reports about no sender.
    const RtcpCompound report = of("root@::ffff:127.0.0.1", "UltraGrid 1.10");
    std::array<std::byte, transport::kMaxRtcpBytes> out{};
    const Bytes said = Bytes(out).first(write_rtcp(out, report));
    struct : DatagramSink {
      void on_datagram(Bytes, const Instant&, const transport::PeerAddress&) override {}
    } nothing;
    std::optional<transport::PeerAddress> asks;
    const auto warned = [&] {
      const std::lock_guard lock(mutex);
      return !warnings.empty();
    };
    const auto heard_both = [&] { return sender->status().receivers.size() == 1 && warned(); };
    for (const SteadyTime limit = steady_now() + test::kPatience; !heard_both() && steady_now() < limit;) {
      if (sender->idle()) {
        sender->start(FrameTimes{});
        sender->add(payloads);
        sender->finish(wall_now());
      }
      ours.read(steady_now() + 5ms, nothing);
      theirs.receive(steady_now() + 5ms, [](Bytes, const transport::PeerAddress&) {});
      theirs.read_control([&](Bytes, const transport::PeerAddress& from) { asks = from; });
      // Sent after texcast's own report, so that a warning about that would be the first.
      if (asks && !sender->status().receivers.empty()) theirs.send_control_back(*std::exchange(asks, {}), said);
    }
    CHECK(heard_both());
    const std::lock_guard lock(mutex);
    std::string all;
    for (const std::string& warning : warnings) all += warning + "; ";
    CAPTURE(all);
    CHECK(warnings.size() == 1);
    if (!warnings.empty())
      CHECK(warnings[0].starts_with(name + " runs UltraGrid 1.10, which does not decode coded streams"));
  }
  set_log_function({});
}
