// The sending thread with and without helpers, over a real socket that nobody reads; the sent packets are read from the
// capture beside it.
#include "stream/paced_sender.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <thread>
#include <vector>

#include "../patience.h"
#include "../temporary_folder.h"
#include "textures/stream_format.h"
#include "transport/own_packetizer.h"
#include "transport/receive_session.h"
#include "transport/wire_choice.h"

using namespace texcast;
using namespace texcast::stream;

namespace {

constexpr TextureDesc kLarge{.format = TextureFormat::bc1, .width = 2048, .height = 1024};

std::shared_ptr<const transport::WireKeys> keys_of_test() {
  return transport::WireKeys::of({std::byte{1}}, {std::byte{2}});
}

std::vector<std::byte> noise(size_t bytes, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<std::byte> all(bytes);
  std::ranges::generate(all, [&] { return static_cast<std::byte>(random()); });
  return all;
}

// Sends frames in bands, and one that is never finished; returns their content in the capture.
std::vector<std::vector<std::byte>> sent_and_captured(const transport::WireChoice& wire, int helper_count,
                                                      const std::vector<std::vector<std::byte>>& frames) {
  const test::TemporaryFolder folder;
  const transport::UdpReceiver unread({.address = transport::resolve_address("rtp://127.0.0.1:0", true)});
  {
    Destinations destinations({"rtp://127.0.0.1:" + std::to_string(unread.port()), "pcap:" + folder.file("sent.pcap")});
    AutoResetEvent progress;
    auto helpers = helper_count > 0 ? std::make_unique<WorkAhead>(helper_count) : nullptr;
    const transport::PacketizerSettings settings{.stream = stream_of(kLarge, 60), .ssrc = 9};
    auto packetizer = transport::make_packetizer(settings, wire, helpers.get());
    PacedSender sender(destinations,
                       {.helpers = std::move(helpers),
                        .plain = std::move(packetizer),
                        .store = transport::make_retransmit_store(settings, wire, 1),
                        .opener = transport::FeedbackOpener(settings.ssrc, wire.keys)},
                       {.fps = 60, .spread = 0.25}, progress);
    FrameTimes times;
    for (const auto& frame : frames) {
      times.available = times.encoded = wall_now();
      times.pts += std::chrono::milliseconds(16);
      const EncodedFrame encoded{.texture = {.desc = kLarge, .blocks = frame}, .times = times};
      sender.start(encoded, frame.size() / 3);
      std::this_thread::yield();
      sender.advance(frame.size() / 2 + 5);
      sender.finish(wall_now());
      while (!sender.idle()) progress.wait_until(steady_now() + test::kPatience);
    }
    CHECK(sender.status().frames == frames.size());
    sender.start({.texture = {.desc = kLarge, .blocks = frames[0]}, .times = times}, frames[0].size() - 1);
  }  // ends within a frame
  // In the capture, a busy machine may have paused within a frame.
  transport::ReceiveSession session({.frame_timeout = test::kPatience, .keys = wire.keys});
  transport::PcapReader reader(folder.file("sent.pcap"));
  std::vector<std::vector<std::byte>> captured;
  while (const auto datagram = reader.next()) {
    const SteadyTime now{datagram->time.time_since_epoch()};
    session.on_datagram(datagram->payload, now, datagram->time);
    while (const auto frame = session.poll(now, datagram->time))
      if (frame->concealed_bytes == 0) captured.emplace_back(frame->bytes.begin(), frame->bytes.end());
  }
  CHECK(session.counters().lost == 0);
  CHECK(session.counters().refused == 0);
  return captured;
}

}  // namespace

TEST_CASE("the sending thread sends the same frames with any helpers, and can end within a frame") {
  std::vector<std::vector<std::byte>> frames;
  for (uint32_t i = 0; i < 4; ++i) frames.push_back(noise(texture_layout(kLarge).total_bytes, i));
  for (const auto crypto : {transport::CryptoChoice::none, transport::CryptoChoice::texcast}) {
    const transport::WireChoice wire{.fec = {.kind = transport::FecKind::parity, .percent = 10},
                                     .crypto = crypto,
                                     .keys = crypto == transport::CryptoChoice::none ? nullptr : keys_of_test(),
                                     .answers_requests = true};
    for (const int helpers : {0, 1, 3}) {
      CAPTURE(helpers);
      CHECK(sent_and_captured(wire, helpers, frames) == frames);
    }
  }
}

TEST_CASE("helpers are used if one thread is too slow, and leave processors to others") {
  const transport::WireChoice plain{.fec = {.kind = transport::FecKind::automatic}};
  transport::WireChoice bare = plain, sealed = plain;
  bare.fec = {.kind = transport::FecKind::none};
  sealed.crypto = transport::CryptoChoice::texcast;
  const int most = std::clamp(static_cast<int>(std::thread::hardware_concurrency()) - 2, 0, 7);
  constexpr size_t kFullHd = 1920 * 1080, k8K = size_t{7680} * 4320;
  for (const auto& wire : {bare, plain, sealed})
    for (const size_t bytes : {kFullHd / 2, kFullHd}) CHECK(helper_threads(bytes, 60, wire) == 0);
  CHECK(helper_threads(k8K / 2, 60, bare) == 0);
  CHECK(helper_threads(k8K / 2, 60, plain) == std::min(most, 3));
  CHECK(helper_threads(k8K / 2, 60, sealed) == most);
  CHECK(helper_threads(k8K / 2, 1, sealed) == 0);
  CHECK(helper_threads(k8K, 1e9, sealed) == most);
}
