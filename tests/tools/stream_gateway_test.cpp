// The gateway from datagrams to viewers, with a source and a web stream that the test plays.
#include "stream/stream_gateway.h"

#include <doctest/doctest.h>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "../patience.h"
#include "stream/receive_texts.h"
#include "texcast/error.h"
#include "texcast/format.h"
#include "transport/audio_packetizer.h"
#include "transport/compact_packetizer.h"
#include "transport/plain_packetizer.h"
#include "transport/retransmit_store.h"

using namespace texcast;
using namespace texcast::stream;
using texcast::test::kPatience;
using namespace std::chrono_literals;

namespace {

using Datagram = std::vector<std::byte>;

Datagram join(const transport::OutgoingPacket& packet) {
  Datagram datagram(packet.header.begin(), packet.header.end());
  datagram.insert(datagram.end(), packet.payload.begin(), packet.payload.end());
  return datagram;
}

transport::PeerAddress sender_at(uint8_t last, uint16_t port = 40000) {
  const std::byte bytes[] = {std::byte{192}, std::byte{0}, std::byte{2}, std::byte{last}};
  return transport::PeerAddress::of_ipv4(bytes, port);
}

// Shared by both ends of the test: waits for a condition under one lock.
class Meeting {
 public:
  template <typename Condition>
  void wait_for(Condition condition) {
    std::unique_lock lock(mutex);
    REQUIRE(changed.wait_for(lock, kPatience, condition));
  }
  std::mutex mutex;
  std::condition_variable changed;
};

class PlayedSource final : public DatagramSource {
 public:
  explicit PlayedSource(Meeting& meeting, bool is_live = true) : meeting_(meeting), is_live_(is_live) {}
  bool read(SteadyTime limit, DatagramSink& sink) override {
    std::deque<Datagram> came;
    {
      std::unique_lock lock(meeting_.mutex);
      meeting_.changed.wait_until(lock, limit, [this] { return woken_ || !waiting_.empty() || over_; });
      woken_ = false;
      came.swap(waiting_);
      if (came.empty() && over_) return false;
    }
    for (const Datagram& datagram : came) sink.on_datagram(datagram, now(), from_);
    return true;
  }
  Instant now() const override {
    const Instant now = instant_now();
    return {now.steady + passed_.load(), now.wall + passed_.load()};
  }
  void wake() override {
    const std::lock_guard lock(meeting_.mutex);
    woken_ = true;
    meeting_.changed.notify_all();
  }
  bool send_back(const transport::PeerAddress& to, Bytes datagram) override {
    if (!is_live_ || to != from_) return false;
    const std::lock_guard lock(meeting_.mutex);
    back_.emplace_back(datagram.begin(), datagram.end());
    meeting_.changed.notify_all();
    return true;
  }
  bool live() const override { return is_live_; }

  void put(std::span<const Datagram> datagrams) {
    const std::lock_guard lock(meeting_.mutex);
    waiting_.insert(waiting_.end(), datagrams.begin(), datagrams.end());
    meeting_.changed.notify_all();
  }
  void pass(nanoseconds time) { passed_ = passed_.load() + time; }  // its clock goes ahead
  void end() {
    const std::lock_guard lock(meeting_.mutex);
    over_ = true;
    meeting_.changed.notify_all();
  }
  std::vector<Datagram> back_;  // with the meeting's mutex

 private:
  Meeting& meeting_;
  const bool is_live_;
  const transport::PeerAddress from_ = sender_at(1);
  std::deque<Datagram> waiting_;
  bool woken_ = false, over_ = false;
  std::atomic<nanoseconds> passed_{nanoseconds{}};
};

class PlayedStream final : public web::Stream {
 public:
  PlayedStream(Meeting& meeting, web::StreamOffer offer) : offers_{std::move(offer)}, meeting_(meeting) {}
  void send(web::Channel channel, std::span<const transport::OutgoingPacket> packets) override {
    const std::lock_guard lock(meeting_.mutex);
    for (const auto& packet : packets) sent_[static_cast<size_t>(channel)].push_back(join(packet));
    meeting_.changed.notify_all();
  }
  void send_to(web::ViewerId viewer, web::Channel, std::span<const transport::OutgoingPacket> packets) override {
    const std::lock_guard lock(meeting_.mutex);
    for (const auto& packet : packets) answers_.emplace_back(viewer, join(packet));
    meeting_.changed.notify_all();
  }
  size_t viewers() const override { return 1; }
  void change(const web::StreamOffer& offer) override {
    const std::lock_guard lock(meeting_.mutex);
    offers_.push_back(offer);
    meeting_.changed.notify_all();
  }
  void on_feedback(std::function<void()> wake) override {
    const std::lock_guard lock(meeting_.mutex);
    wake_ = std::move(wake);
  }
  void take_feedback(const OnFeedback& sink) override {
    std::vector<std::pair<web::ViewerId, Datagram>> taken;
    {
      const std::lock_guard lock(meeting_.mutex);
      taken.swap(feedback_);
    }
    for (const auto& [viewer, datagram] : taken) sink({.viewer = viewer, .from = {}, .datagram = datagram});
  }
  void end(std::string_view message) override {
    const std::lock_guard lock(meeting_.mutex);
    ended_ = std::string(message);
    meeting_.changed.notify_all();
  }
  void ask(web::ViewerId viewer, Datagram datagram) {
    std::function<void()> wake;
    {
      const std::lock_guard lock(meeting_.mutex);
      feedback_.emplace_back(viewer, std::move(datagram));
      wake = wake_;
    }
    wake();
  }
  // All with the meeting's mutex.
  std::vector<Datagram> sent_[web::kChannels];
  std::vector<std::pair<web::ViewerId, Datagram>> answers_, feedback_;
  std::vector<web::StreamOffer> offers_;
  std::optional<std::string> ended_;

 private:
  Meeting& meeting_;
  std::function<void()> wake_;
};

// A gateway with everything around it.
struct Scene {
  explicit Scene(bool is_live = true, bool with_sound = false,
                 const std::optional<transport::StreamDesc>& expected = std::nullopt) {
    auto picture = std::make_unique<PlayedSource>(meeting, is_live);
    auto sounds = with_sound ? std::make_unique<PlayedSource>(meeting) : nullptr;
    source = picture.get();
    sound = sounds.get();
    gateway.emplace(
        std::move(picture), std::move(sounds), GatewaySettings{.expected = expected},
        [this](const web::StreamOffer& offer) {
          auto made = std::make_shared<PlayedStream>(meeting, offer);
          const std::lock_guard lock(meeting.mutex);
          streams.push_back(made);
          meeting.changed.notify_all();
          return made;
        },
        log);
  }
  std::shared_ptr<PlayedStream> wait_for_stream(size_t number = 1) {
    meeting.wait_for([&] { return streams.size() >= number; });
    return streams[number - 1];
  }
  Meeting meeting;
  PictureSender picture;
  ReceptionLog log{picture};
  PlayedSource* source = nullptr;
  PlayedSource* sound = nullptr;
  std::vector<std::shared_ptr<PlayedStream>> streams;
  std::optional<StreamGateway> gateway;
};

transport::PacketizerSettings stream_settings(TextureFormat format, int size = 64, uint32_t ssrc = 1) {
  transport::PacketizerSettings settings;
  settings.stream = stream_of({.format = format, .width = size, .height = size}, 60);
  settings.ssrc = ssrc;
  settings.mtu = 600;
  return settings;
}

// Frames of a raw stream.
class RawSender {
 public:
  explicit RawSender(TextureFormat format, int size = 64, uint32_t ssrc = 1)
      : packetizer_(stream_settings(format, size, ssrc)),
        blocks_(texture_layout(format, size, size).total_bytes, std::byte{static_cast<uint8_t>(size)}) {}
  std::vector<Datagram> frame() {
    std::vector<Datagram> datagrams;
    for (const auto& packet : packetizer_.packetize(blocks_, {.pts = 16ms * number_++}))
      datagrams.push_back(join(packet));
    return datagrams;
  }

 private:
  transport::PlainPacketizer packetizer_;
  std::vector<std::byte> blocks_;
  int number_ = 0;
};

}  // namespace

TEST_CASE("a gateway offers a stream with its first frame, and passes the datagrams that follow") {
  Scene scene;
  RawSender sender(TextureFormat::ycocg_dxt5_alpha);
  scene.source->put(sender.frame());
  const auto stream = scene.wait_for_stream();
  CHECK(stream->offers_[0] ==
        web::StreamOffer{.name = "ycocg-dxt5-alpha", .families = {"s3tc", "rgtc"}, .format = "ycocg-dxt5-alpha"});
  std::vector<Datagram> all;
  for (int i = 0; i < 3; ++i) {
    const auto frame = sender.frame();
    all.insert(all.end(), frame.begin(), frame.end());
    scene.source->put(frame);
  }
  auto& sent = stream->sent_[0];
  scene.meeting.wait_for([&] { return sent.size() >= all.size(); });
  CHECK(std::ranges::equal(std::span(sent).last(all.size()), all));
  scene.gateway->stop("the end");
  CHECK(stream->ended_ == "the end");
  const GatewayStatus status = scene.gateway->status();
  CHECK(status.received.frames == 4);
  CHECK(status.received.stream->width == 64);
  CHECK_FALSE(status.opens_seal);
}

TEST_CASE("a gateway tells viewers when the format of the stream changes") {
  Scene scene;
  RawSender first(TextureFormat::bc1), second(TextureFormat::bc7, 64, 2);
  scene.source->put(first.frame());
  const auto stream = scene.wait_for_stream();
  scene.source->pass(3s);  // the first sender is silent: the other may take over
  scene.source->put(second.frame());
  scene.source->put(second.frame());
  scene.meeting.wait_for([&] { return stream->offers_.size() == 2; });
  CHECK(stream->offers_[1].format == "bc7");
  CHECK(stream->offers_[1].families == std::vector<std::string>{"bptc"});
}

TEST_CASE("viewers' requests are answered by the gateway, and merged toward the sender") {
  Scene scene;
  transport::PacketizerSettings settings = stream_settings(TextureFormat::bc1);
  settings.stream.coding = 1;
  transport::CompactPacketizer packetizer(settings, {.answers_requests = true, .takes_tile_requests = true});
  const std::vector<std::byte> payload(300, std::byte{7});
  const std::vector<Bytes> payloads(3, Bytes(payload));
  const auto frame = [&] {
    packetizer.begin({});
    std::vector<Datagram> datagrams;
    for (const auto& packet : packetizer.add(payloads, 3)) datagrams.push_back(join(packet));
    return datagrams;
  };
  scene.source->put(frame());
  const auto stream = scene.wait_for_stream();
  const auto latest = frame();
  scene.source->put(latest);
  scene.meeting.wait_for([&] { return stream->sent_[0].size() >= latest.size(); });

  Datagram nack(100);
  const transport::PacketRange second{1, 1};
  nack.resize(transport::write_request(nack, 1, packetizer.buffer_id(), {&second, 1}));
  stream->ask(42, nack);
  scene.meeting.wait_for([&] { return !stream->answers_.empty(); });
  REQUIRE(stream->answers_.size() == 1);
  CHECK(stream->answers_[0].first == 42);
  CHECK(stream->answers_[0].second == latest[1]);

  Datagram tiles(transport::kMostTileRequestBytes);
  tiles.resize(transport::write_tile_request(tiles, {.ssrc = 1, .newest = packetizer.buffer_id(), .all = true}, {}));
  for (web::ViewerId viewer = 1; viewer <= 10; ++viewer) stream->ask(viewer, tiles);
  scene.meeting.wait_for([&] { return !scene.source->back_.empty(); });
  transport::FeedbackOpener opener(1, nullptr);
  const auto asked = opener.read(scene.source->back_[0]);
  REQUIRE(asked.tiles);
  CHECK(asked.tiles->all);
}

TEST_CASE("sound passes on its own channel, and the offer says that there may be some") {
  Scene scene(true, true);
  RawSender sender(TextureFormat::bc1);
  scene.source->put(sender.frame());
  const auto stream = scene.wait_for_stream();
  // The gateway drops sound until it has the stream that it offered; a picture passes only then.
  scene.source->put(sender.frame());
  scene.meeting.wait_for([&] { return !stream->sent_[0].empty(); });
  transport::AudioPacketizer packetizer({.channels = 1});
  const std::vector<std::byte> samples(480, std::byte{3});
  const Bytes channel = samples;
  std::vector<Datagram> sounds;
  for (uint64_t i = 0; i < 4; ++i)
    for (const auto& packet :
         packetizer.packetize({.channels = {&channel, 1}, .samples = 240, .position = 240 * i, .captured = {}}))
      sounds.push_back(join(packet));
  scene.sound->put(sounds);
  scene.meeting.wait_for([&] { return stream->sent_[1].size() == sounds.size(); });
  CHECK(stream->sent_[1] == sounds);
  REQUIRE(stream->offers_.size() == 1);
  CHECK(stream->offers_[0].has_sound);
}

TEST_CASE("a stream that is expected is offered at once, and passes from its first datagram on") {
  RawSender sender(TextureFormat::bc1);
  Scene scene(true, false, stream_settings(TextureFormat::bc1).stream);
  const auto stream = scene.wait_for_stream();
  const auto frame = sender.frame();
  scene.source->put(frame);
  scene.meeting.wait_for([&] { return stream->sent_[0].size() >= frame.size(); });
  CHECK(stream->sent_[0] == frame);
  CHECK(stream->offers_.size() == 1);
}

TEST_CASE("a capture ends, and nothing is requested of its sender") {
  Scene scene(false);
  RawSender sender(TextureFormat::bc1);
  scene.source->put(sender.frame());
  scene.wait_for_stream();
  scene.source->end();
  const SteadyTime limit = steady_now() + kPatience;
  while (!scene.gateway->ended() && steady_now() < limit) std::this_thread::sleep_for(1ms);
  CHECK(scene.gateway->ended());
  CHECK(scene.source->back_.empty());
}
