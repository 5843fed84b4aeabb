// Recordings as live streams, to a web stream that the test watches: it decodes what it gets, as a receiver does.
#include "stream/clip_sender.h"

#include <doctest/doctest.h>

#include <atomic>
#include <memory>
#include <set>
#include <thread>
#include <vector>

#include "../live/fake_web_stream.h"
#include "../patience.h"
#include "check_error.h"
#include "fake_clip.h"
#include "live/destinations.h"
#include "texcast/error.h"
#include "textures/block_pool.h"
#include "textures/compact_reception.h"
#include "textures/stream_format.h"
#include "transport/receive_session.h"

using namespace texcast;
using namespace texcast::stream;
using texcast::test::FakeClip;
using texcast::test::FakeWebStream;
using texcast::test::kPatience;
using namespace std::chrono_literals;

namespace {

// A viewer: the first byte of each picture that it shows.
class Viewer {
 public:
  explicit Viewer(FakeWebStream& stream) : stream_(stream) {}
  void join() { stream_.join(1, from_); }
  // Takes what was sent since the last call.
  void watch() {
    for (const FakeWebStream::Sent& sent : stream_.take_sent()) {
      if (sent.channel != web::Channel::picture) continue;
      session_.on_datagram(sent.datagram, steady_now(), wall_now());
      while (const auto frame = session_.poll(steady_now(), wall_now())) show(*frame);
    }
    while (const auto query = reception_.query(steady_now()))
      if (const auto request = session_.ask_for_tiles(*query, steady_now())) stream_.answer(1, from_, *request);
  }
  const std::vector<int>& shown() const { return shown_; }

 private:
  void show(const transport::ReceivedFrame& frame) {
    const auto texture = texture_of(frame.stream);
    REQUIRE(texture);
    FrameRef out = pool_.acquire(texture_layout(*texture).total_bytes);
    REQUIRE(out);
    out->desc = *texture;
    const auto wrong = reception_.decode(frame, out);
    if (wrong && *wrong == 0) shown_.push_back(std::to_integer<int>(out->blocks[0]));
  }
  FakeWebStream& stream_;
  const transport::PeerAddress from_ = transport::PeerAddress::of_ipv4(std::vector<std::byte>(4, std::byte{10}), 4000);
  transport::ReceiveSession session_{{.request_lost = true}};
  BlockPool pool_{20, size_t{1} << 20};
  CompactReception reception_{0};
  std::vector<int> shown_;
};

// Sends a clip until `until` says so, or it ends.
ClipReport send(std::unique_ptr<FakeClip> clip, const ClipSettings& how, Viewer& viewer,
                const std::shared_ptr<FakeWebStream>& stream, const std::function<bool(const ClipReport&)>& until) {
  Destinations destinations(
      {"web://:8080"},
      {.open_web = [&](const std::string&) { return WebDestination{.stream = stream, .loopback = true}; }}, true,
      IfExists::refuse, kLosslessCoding);
  SendSettings settings{.fps = stream_rate(clip->info()), .mtu = destinations.usual_mtu()};
  settings.wire.answers_requests = true;
  settings.compact.threads = 0;
  std::atomic<bool> stop = false;
  const SteadyTime limit = steady_now() + kPatience;
  ClipReport report = send_clip(std::move(clip), destinations, settings, how, stop, [&](const ClipReport& now) {
    viewer.watch();
    if (until(now) || steady_now() > limit) stop = true;
  });
  viewer.watch();
  return report;
}

bool never(const ClipReport&) { return false; }

}  // namespace

TEST_CASE("a recording is sent once, from its beginning, in its own time, to whoever watches") {
  const auto stream = std::make_shared<FakeWebStream>();
  Viewer viewer(*stream);
  int ticks = 0;
  const ClipReport report = send(std::make_unique<FakeClip>(8), {}, viewer, stream, [&](const ClipReport& now) {
    CHECK((ticks >= 3 || now.frames == 0));  // it waits for somebody
    if (++ticks == 3) viewer.join();
    return false;
  });
  CHECK(report.frames + report.overtaken == 8);
  CHECK(report.damaged == 0);
  CHECK(report.seconds >= 0.4);
  REQUIRE(!viewer.shown().empty());
  CHECK(viewer.shown().back() == 7);
  CHECK(std::ranges::is_sorted(viewer.shown()));
  CHECK(report.sent.frames >= viewer.shown().size());
}

TEST_CASE("a recording that loops goes on, and a viewer that joins late gets the whole picture") {
  const auto stream = std::make_shared<FakeWebStream>();
  Viewer viewer(*stream);
  bool joined = false;
  const ClipReport report =
      send(std::make_unique<FakeClip>(4), {.loop = true}, viewer, stream, [&](const ClipReport& now) {
        if (!joined && now.unwatched > 6) {
          viewer.join();
          joined = true;
        }
        return std::ranges::count(viewer.shown(), 0) >= 2;
      });
  CHECK(report.unwatched > 6);
  CHECK(report.frames > 0);
  CHECK(std::ranges::count(viewer.shown(), 0) >= 2);
}

TEST_CASE("a recording of one picture is a stream that does not end") {
  const auto stream = std::make_shared<FakeWebStream>();
  Viewer viewer(*stream);
  viewer.join();
  const ClipReport report = send(std::make_unique<FakeClip>(1), {}, viewer, stream,
                                 [&](const ClipReport& now) { return now.sent.frames >= 3; });
  CHECK(report.frames == 1);
  CHECK(report.sent.frames >= 3);
  REQUIRE(!viewer.shown().empty());
  CHECK(viewer.shown().back() == 0);
}

TEST_CASE("damaged frames are left out and counted; a recording without any whole frame is an error") {
  const auto stream = std::make_shared<FakeWebStream>();
  Viewer viewer(*stream);
  viewer.join();
  const ClipReport report = send(std::make_unique<FakeClip>(5, 2), {}, viewer, stream, never);
  CHECK(report.damaged == 1);
  CHECK(report.first_damage == "frame is damaged");
  CHECK(std::ranges::count(viewer.shown(), 2) == 0);
  CHECK(viewer.shown().back() == 4);
  test::check_error(ErrorKind::corrupt, "frame is damaged",
                    [&] { send(std::make_unique<FakeClip>(1, 0), {}, viewer, stream, never); });
}
