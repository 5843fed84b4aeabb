// texcast's own wire format (raw streams) over the simulated network, both ways: parity, NACKs, and concealment if
// neither helps.
#include <doctest/doctest.h>
#include <fmt/core.h>

#include <map>

#include "../times.h"
#include "../tiny.h"
#include "capture_bound.h"
#include "lossy_link.h"
#include "transport/own_packetizer.h"
#include "transport/wire_choice.h"

using namespace texcast;
using namespace texcast::transport;
using namespace texcast::transport::test;

namespace {

struct OwnLinkSettings {
  NetworkSettings network{};
  int parity_percent = 10;
  bool requests = false;
  std::shared_ptr<const WireKeys> keys{};  // null: not encrypted
  NetworkSettings back{.seed = 9};         // for NACKs
  int frames = 40;
  size_t frame_bytes = 115'200;  // 640x360 BC1: 249 packets of 464 bytes
  int width = 640, height = 360, mtu = 576;
  double fps = 60;
};

class OwnStream {
 public:
  using Settings = OwnLinkSettings;
  explicit OwnStream(const Settings& settings) : settings_(settings), packetizer_(make_packetizer(packets(), wire())) {}
  nanoseconds frame_time() const { return nanoseconds(static_cast<int64_t>(1e9 / settings_.fps)); }
  std::vector<OutgoingPacket> packets_of(int index, SteadyTime) {
    sent_ = frame(index);
    const auto packets = packetizer_->packetize(sent_, pts_only(frame_time() * index));
    return {packets.begin(), packets.end()};
  }
  uint32_t requestable_frame() const { return *packetizer_->requestable_frame(); }
  std::unique_ptr<RetransmitStore> make_store() const { return make_retransmit_store(packets(), wire(), 1); }
  LinkVerdict judge(const ReceivedFrame& came) const {
    const auto index = static_cast<size_t>(came.number);
    if (came.concealed_bytes > 0) return {.index = index, .right = true, .holes = 1};
    return {.index = index, .right = same(came.bytes, frame(static_cast<int>(index)))};
  }

 private:
  PacketizerSettings packets() const {
    PacketizerSettings packets = small_settings();
    packets.stream.width = settings_.width;
    packets.stream.height = settings_.height;
    packets.stream.fps = settings_.fps;
    packets.mtu = settings_.mtu;
    return packets;
  }
  WireChoice wire() const {
    const bool parity = settings_.parity_percent > 0;
    return {.fec = {.kind = parity ? FecKind::parity : FecKind::none, .percent = settings_.parity_percent},
            .crypto = settings_.keys ? CryptoChoice::texcast : CryptoChoice::none,
            .keys = settings_.keys,
            .answers_requests = settings_.requests};
  }
  std::vector<std::byte> frame(int index) const {
    return random_bytes(settings_.frame_bytes, static_cast<uint32_t>(index) + 1);
  }

  Settings settings_;
  std::unique_ptr<FramePacketizer> packetizer_;
  std::vector<std::byte> sent_;
};

using OwnLink = LossyLink<OwnStream>;

}  // namespace

TEST_CASE("raw: parity recovers all frames up to the loss that it is designed for") {
  struct Row {
    const char* name;
    NetworkSettings network;
    int percent;
  };
  const Row rows[] = {
      {"nothing lost", lossy(0), 10},
      {"1 % lost", lossy(0.01), 10},
      {"1 % in bursts of 10", lossy(0.01, 10), 10},
      {"5 % lost", lossy(0.05), 20},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    const LinkOutcome o = OwnLink({.network = row.network, .parity_percent = row.percent}).run();
    INFO(figures(o));
    check_mended_by_parity(o);
    // If nothing is lost, frames do not even wait for parity.
    if (o.lost == 0) CHECK(o.slowest < 12ms);
  }
}

TEST_CASE(
    "raw: more loss than parity can recover leaves gaps, concealed in time, and nothing wrong is called complete") {
  const LinkOutcome o = OwnLink({.network = lossy(0.20)}).run();
  INFO(figures(o));
  CHECK(o.shown == 40);
  CHECK(o.whole == 0);
  CHECK(o.wrong == 0);
  CHECK(o.counters.frames_concealed == 40);
}

TEST_CASE("raw: lost packets are requested, and arrive before the next frame") {
  for (const double loss : {0.0, 0.01, 0.05}) {
    if (texcast::test::tiny_only() && loss == 0.01) continue;
    for (const int percent : {0, 10}) {
      CAPTURE(loss);
      CAPTURE(percent);
      const LinkOutcome o = OwnLink({.network = lossy(loss),
                                     .parity_percent = percent,
                                     .requests = true,
                                     .back = {.seed = 9, .loss = loss, .delay = 500us}})
                                .run();
      INFO(figures(o));
      check_mended_by_requests(o, loss, percent);
    }
  }
}

TEST_CASE("raw, sealed: parity and NACKs work as without encryption; unencrypted NACKs are not answered") {
  check_sealed<OwnLink>();
  RetransmitStore store({.ssrc = 1, .keys = link_keys()});
  const PacketRange range{0, 1};
  Datagram request(100);
  request.resize(write_request(request, 1, 7, {&range, 1}));
  store.answer(0, request, SteadyTime(1s));
  CHECK(store.requests() == 0);
}

TEST_CASE("raw: missing answers to NACKs delay frames for half a second at most") {
  // All NACKs are lost, as behind a firewall.
  const LinkOutcome o = OwnLink({.network = lossy(0.01),
                                 .parity_percent = 0,
                                 .requests = true,
                                 .back = {.seed = 9, .loss = 1},
                                 .frames = 120})
                            .run();
  INFO(figures(o));
  CHECK(o.shown == 120);
  CHECK(o.sent_again == 0);
  CHECK(o.counters.requested < 250);  // in half a second; then one a second
}

TEST_CASE("raw: a frame may begin with its parity, and is recognised correctly") {
  OwnPacketizer packetizer(small_settings(), {.parity_percent = 100});
  const auto frame = random_bytes(kSmallFrame, 1);
  const auto sent = datagrams(packetizer, frame);
  REQUIRE(sent.size() == 10);  // five of data, five of parity
  Bench bench;
  for (size_t i = 5; i < 10; ++i) bench.put(sent[i]);
  REQUIRE(bench.shown.size() == 1);
  CHECK(bench.shown[0].bytes == frame);
  CHECK(bench.shown[0].frame.stream == small_stream());
  CHECK(bench.counters().recovered_parity == 5);
  for (size_t i = 0; i < 5; ++i) bench.put(sent[i]);  // too late to matter
  bench.pass(1s);
  CHECK(bench.shown.size() == 1);
  CHECK(bench.counters().malformed + bench.counters().late == 0);
}

TEST_CASE("raw: a receiver that joins in the middle of a frame shows the next one") {
  OwnPacketizer packetizer(small_settings(), {});
  Bench bench;
  for (int i = 0; i < 2; ++i) {
    const auto sent = datagrams(packetizer, random_bytes(kSmallFrame, static_cast<uint32_t>(i)), pts_only(i * 16ms));
    for (size_t k = i == 0 ? 3 : 0; k < sent.size(); ++k) bench.put(sent[k]);
    bench.pass(16ms);
  }
  REQUIRE(!bench.shown.empty());
  CHECK(bench.shown.back().bytes == random_bytes(kSmallFrame, 1));
  CHECK(bench.shown.size() <= 2);
}

TEST_CASE("raw: parity that contradicts its frame is refused, and the frame is shown nevertheless") {
  OwnPacketizer packetizer(small_settings(), {.parity_percent = 50});
  const auto frame = random_bytes(kSmallFrame, 1);
  const auto sent = datagrams(packetizer, frame);
  REQUIRE(sent.size() == 8);
  const auto mangled = [&](size_t at, int value) {
    Datagram datagram = sent[5];
    datagram[at] = static_cast<std::byte>(value);
    return datagram;
  };
  Bench bench;
  bench.put(sent[0]);
  uint64_t bad = 0;
  for (const auto& [at, value] : std::map<size_t, int>{
           {8, 0x55}, {13, 1}, {14, 9}, {16, 2}, {25, 65}, {45, 32}, {47, 2}, {48, 9}, {59, 1}, {63, 7}, {68, 'X'}}) {
    CAPTURE_BOUND(at);
    bench.put(mangled(at, value));
    CHECK(bench.counters().malformed == ++bad);
  }
  bench.put(Bytes(sent[5]).first(76));
  bench.put(Bytes(sent[5]).first(sent[5].size() - 1));
  CHECK(bench.counters().malformed == bad + 2);
  for (const size_t i : {5u, 6u, 3u, 4u}) bench.put(sent[i]);  // packets 1 and 2 are lost
  REQUIRE(bench.shown.size() == 1);
  CHECK(bench.shown[0].bytes == frame);
}

// By hand: transport_test --no-skip --test-case="raw at full size*"
TEST_CASE("raw at full size: 1080p BC1 at 30 a second, 300 frames" * doctest::skip()) {
  struct Row {
    const char* name;
    NetworkSettings network;
    int percent;
    bool requests;
  };
  const Row rows[] = {
      {"10 % parity, 1 % lost", lossy(0.01), 10, false},
      {"10 % parity, 1 % in bursts of 10", lossy(0.01, 10), 10, false},
      {"10 % parity, 5 % lost", lossy(0.05), 10, false},
      {"20 % parity, 5 % lost", lossy(0.05), 20, false},
      {"20 % parity, 5 % in bursts of 10", lossy(0.05, 10), 20, false},
      {"requests, 1 % lost", lossy(0.01), 0, true},
      {"requests, 5 % lost", lossy(0.05), 0, true},
      {"requests, 5 % in bursts of 10", lossy(0.05, 10), 0, true},
      {"10 % parity and requests, 5 % lost", lossy(0.05), 10, true},
      {"10 % parity and requests, 10 % lost", lossy(0.10), 10, true},
      {"10 % parity and requests, 20 % lost", lossy(0.20), 10, true},
  };
  for (const Row& row : rows) {
    const LinkOutcome o = OwnLink({.network = row.network,
                                   .parity_percent = row.percent,
                                   .requests = row.requests,
                                   .back = {.seed = 9, .loss = row.network.loss, .delay = 500us},
                                   .frames = 300,
                                   .frame_bytes = 1'036'800,
                                   .width = 1920,
                                   .height = 1080,
                                   .mtu = 1500,
                                   .fps = 30})
                              .run();
    fmt::print("{:36}{}\n", row.name, figures(o));
    CHECK(o.wrong == 0);
    CHECK(o.shown == 300);
  }
}
