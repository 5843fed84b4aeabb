// Who cannot read a compact stream, as reports say it.
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
#include "transport/rtcp.h"
#include "transport/udp_socket.h"

using namespace texcast;
using namespace texcast::stream;
using namespace std::chrono_literals;
using transport::RtcpCompound;

namespace {

const SteadyTime kBegin{100s};
const std::string kOurs = rtcp_tool();

// The lines that come of one listener that reports so, with when, in milliseconds.
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

TEST_CASE("what a receiver says that it reads: words, and the newest version of the coder") {
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

TEST_CASE("who reports for some time without a word of compact streams is named, once") {
  // CNAME and TOOL as a stock UltraGrid has them.
  auto lines = lines_of({{500, of("root@::ffff:127.0.0.1")}, {4000, of("root@::ffff:127.0.0.1")}});
  REQUIRE(lines.size() == 1);
  CHECK(lines[0] == std::pair<int64_t, std::string>(
                        3000,
                        "10.0.0.2:5004 plays with what does not say that it reads compact streams (UltraGrid?): send "
                        "with --plain, or --for ultragrid"));
  lines = lines_of(
      {{500, of("root@10.0.0.2")}, {2500, of("root@10.0.0.2", "UltraGrid 1.10")}, {9000, of("root@10.0.0.2")}});
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].first == 3000);
  CHECK(lines[0].second ==
        "10.0.0.2:5004 plays with UltraGrid 1.10, which does not read compact streams: send with --plain, or --for "
        "ultragrid");
  for (const auto& report : {of("texcast@there"), of("texcast@there", "texcast/0.0.9")}) {
    lines = lines_of({{0, report}});
    REQUIRE(lines.size() == 1);
    CHECK(lines[0].second ==
          "10.0.0.2:5004 plays with an older texcast, which does not read compact streams: send with --plain");
  }
}

TEST_CASE("who reads compact streams, has left, or is gone is not named") {
  CHECK(lines_of({{0, of("texcast@there", kOurs)}, {5000, of("texcast@there", kOurs)}}).empty());
  RtcpCompound leaves = of("root@10.0.0.2");
  leaves.bye = true;
  CHECK(lines_of({{0, of("root@10.0.0.2")}, {1500, leaves}}).empty());
  CHECK(lines_of({{0, of("texcast@there")}, {1000, of("texcast@there", kOurs)}}).empty());
}

TEST_CASE("what a stranger calls itself does not steer the terminal") {
  const std::string evil = "\x1b]0;evil\x07 Ultra\r\n" + std::string(200, 'A');
  const auto lines = lines_of({{0, of("x", evil)}});
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].second.size() < 160);
  for (const char c : lines[0].second) CHECK((c >= ' ' && c <= '~'));
}

TEST_CASE("forged reports make few lines and take little memory, and those of true receivers still count") {
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

TEST_CASE("over sockets: a receiver of texcast's says that it reads compact streams, and of another is warned") {
  std::mutex mutex;
  std::vector<std::string> warnings;
  set_log_function([&](LogLevel level, std::string_view line) {
    const std::lock_guard lock(mutex);
    // A busy machine may be warned of other things.
    if (level == LogLevel::warning && line.find("compact streams") != line.npos) warnings.emplace_back(line);
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
    // What a stock receiver says, that drops all of the stream: nothing of any sender.
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
      // After ours, so that a warning of ours would be the first.
      if (asks && !sender->status().receivers.empty()) theirs.send_control_back(*std::exchange(asks, {}), said);
    }
    CHECK(heard_both());
    const std::lock_guard lock(mutex);
    std::string all;
    for (const std::string& warning : warnings) all += warning + "; ";
    CAPTURE(all);
    CHECK(warnings.size() == 1);
    if (!warnings.empty())
      CHECK(warnings[0].starts_with(name + " plays with UltraGrid 1.10, which does not read compact streams"));
  }
  set_log_function({});
}
