// The receiving thread, with datagrams from a script instead of a socket.
#include "live/receiving_thread.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "../patience.h"
#include "../times.h"
#include "compact/payload.h"
#include "log_lines.h"
#include "texcast/error.h"
#include "textures/stream_format.h"
#include "transport/compact_packetizer.h"
#include "transport/packet.h"
#include "transport/plain_packetizer.h"
#include "transport/wire_choice.h"

using namespace texcast;
using namespace texcast::stream;
using namespace std::chrono_literals;

namespace {

using Datagram = std::vector<std::byte>;

class Script : public DatagramSource {
 public:
  struct Arrival {
    nanoseconds after = 100us;  // the previous one
    transport::PeerAddress from{};
    nanoseconds in_queue{};
  };
  explicit Script(std::vector<Datagram> datagrams, std::function<Arrival(size_t)> arrival_of = {})
      : datagrams_(std::move(datagrams)), arrival_of_(std::move(arrival_of)) {}
  bool read(SteadyTime, DatagramSink& sink) override {
    if (next_ == datagrams_.size()) return false;
    const Arrival arrival = arrival_of_ ? arrival_of_(next_) : Arrival{};
    time_ += arrival.after;
    const Instant at = now();
    sink.on_datagram(datagrams_[next_], {at.steady, at.wall, arrival.in_queue}, arrival.from);
    ++next_;
    return true;
  }
  size_t taken() const { return next_; }  // any thread
  Instant now() const override { return {time_, wall_of(time_) + 1h}; }
  void wake() override {}

 private:
  std::vector<Datagram> datagrams_;
  std::function<Arrival(size_t)> arrival_of_;
  std::atomic<size_t> next_ = 0;
  SteadyTime time_{1s};
};

std::vector<Datagram> datagrams_of(const TextureDesc& desc, int frames, size_t bytes) {
  transport::PlainPacketizer packetizer({.stream = stream_of(desc, 50), .ssrc = 7});
  std::vector<Datagram> out;
  for (int i = 0; i < frames; ++i) {
    const std::vector<std::byte> blocks(bytes, static_cast<std::byte>(i));
    for (const auto& packet : packetizer.packetize(blocks, {.pts = i * 20ms})) {
      Datagram datagram(packet.header.begin(), packet.header.end());
      datagram.insert(datagram.end(), packet.payload.begin(), packet.payload.end());
      out.push_back(std::move(datagram));
    }
  }
  return out;
}

const TextureDesc kDesc{.format = TextureFormat::bc1, .width = 128, .height = 64};

struct Outcome {
  std::vector<int> values;
  std::vector<uint32_t> concealed_blocks;
  size_t wrong_bytes = 0;  // neither the frame's nor, in a frame with losses, those of the previous frame
  StreamStatus status;
};

Outcome receive(std::vector<Datagram> datagrams, size_t pool_frames = 4) {
  BlockPool pool(pool_frames);
  Outcome outcome;
  ReceivingThread receiver(
      std::make_unique<Script>(std::move(datagrams)), pool, [&](const FrameRef& frame, double fps) {
        CHECK(fps == 50);
        outcome.values.push_back(std::to_integer<int>(frame->blocks[0]));
        outcome.concealed_blocks.push_back(frame->concealed_blocks);
        const auto own = static_cast<std::byte>(frame->number), before = static_cast<std::byte>(frame->number - 1);
        for (const std::byte b : frame->blocks) outcome.wrong_bytes += b != own && !(frame->concealed && b == before);
      });
  const SteadyTime limit = steady_now() + test::kPatience;
  while (!receiver.ended() && steady_now() < limit) std::this_thread::sleep_for(1ms);
  receiver.stop();
  outcome.status = receiver.status();
  return outcome;
}

// All bytes are equal. One call, which sanitizers check at once and not byte by byte.
bool is_of_one_value(Bytes bytes) {
  return bytes.size() < 2 || std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0;
}

}  // namespace

TEST_CASE("every frame of a stream comes out once, in order") {
  const Outcome outcome = receive(datagrams_of(kDesc, 50, texture_layout(kDesc).total_bytes));
  REQUIRE(outcome.values.size() == 50);
  for (int i = 0; i < 50; ++i) CHECK(outcome.values[static_cast<size_t>(i)] == i);
  CHECK(outcome.status.frames == 50);
  CHECK(outcome.status.counters.lost == 0);
  REQUIRE(outcome.status.stream);
  CHECK(outcome.status.stream->width == 128);
}

TEST_CASE("a frame with losses is delivered too, and the last incomplete one at the end") {
  auto datagrams = datagrams_of(kDesc, 5, texture_layout(kDesc).total_bytes);
  const size_t each = datagrams.size() / 5;
  REQUIRE(each >= 2);
  const auto blocks_in_payload = [](const Datagram& d) {  // of BC1, 8 bytes each
    const auto packet = transport::parse_rtp(d);
    REQUIRE(packet);
    return static_cast<uint32_t>((packet->payload.size() - transport::kVideoHeaderBytes) / 8);
  };
  const uint32_t first = blocks_in_payload(datagrams[each]), last = blocks_in_payload(datagrams.back());
  datagrams.pop_back();                                                    // the end of the last frame
  datagrams.erase(datagrams.begin() + static_cast<std::ptrdiff_t>(each));  // the beginning of the second
  const Outcome outcome = receive(std::move(datagrams));
  CHECK(outcome.values.size() == 5);
  CHECK(outcome.status.counters.frames_concealed == 2);
  CHECK(outcome.status.frames_concealed == 2);
  CHECK(outcome.concealed_blocks == std::vector<uint32_t>{0, first, 0, 0, last});
}

TEST_CASE("frames that are copied while they arrive are correct, even with losses and reordering") {
  const TextureDesc large{.format = TextureFormat::bc1, .width = 512, .height = 1024};
  auto datagrams = datagrams_of(large, 6, texture_layout(large).total_bytes);  // 256 KiB each
  const size_t each = datagrams.size() / 6;
  const auto at = [&](size_t frame, size_t packet) {
    return datagrams.begin() + static_cast<std::ptrdiff_t>(frame * each + packet);
  };
  std::swap(*at(1, each / 2), *at(1, each / 2 + 3));
  std::rotate(at(4, each - 10), at(4, each), at(5, 10));  // the rest of a frame after the beginning of the next
  datagrams.erase(at(3, each / 2));
  datagrams.erase(at(2, 0));
  const Outcome outcome = receive(std::move(datagrams));
  CHECK(outcome.values.size() == 6);
  CHECK(outcome.status.counters.frames_concealed == 2);
  CHECK(outcome.status.frames_concealed == 2);
  CHECK(outcome.wrong_bytes == 0);
}

TEST_CASE("a large frame is reported while it arrives, with its final bytes") {
  const TextureDesc large{.format = TextureFormat::bc1, .width = 2048, .height = 2048};  // 2 MiB
  BlockPool pool(4);
  std::vector<size_t> told;
  FrameRef coming;
  int whole = 0;
  ReceivingThread receiver(
      std::make_unique<Script>(datagrams_of(large, 3, ReceivingThread::kLargeFrame)), pool,
      [&](const FrameRef& frame, double) {
        CHECK(frame->ready_bytes == ReceivingThread::kLargeFrame);
        if (frame->number > 0) CHECK(&*coming == &*frame);
        ++whole;
      },
      {},
      [&](const FrameRef& frame) {
        coming = frame;
        told.push_back(frame->ready_bytes);
        CHECK(frame->desc == large);
        const auto end = frame->blocks.begin() + static_cast<std::ptrdiff_t>(told.back());
        CHECK(std::count(frame->blocks.begin(), end, static_cast<std::byte>(whole)) ==
              static_cast<std::ptrdiff_t>(told.back()));
      });
  const SteadyTime limit = steady_now() + test::kPatience;
  while (!receiver.ended() && steady_now() < limit) std::this_thread::sleep_for(1ms);
  receiver.stop();
  CHECK(whole == 3);
  REQUIRE(told.size() == 2);  // for the second and the third: the first one's description was not known before
  for (const size_t bytes : told) CHECK((bytes >= ReceivingThread::kGrowth && bytes < ReceivingThread::kLargeFrame));
}

TEST_CASE("reported bytes of an arriving frame can be read on another thread, and do not change") {
  const TextureDesc large{.format = TextureFormat::bc1, .width = 2048, .height = 2048};  // 2 MiB
  auto datagrams = datagrams_of(large, 8, ReceivingThread::kLargeFrame);
  const size_t each = datagrams.size() / 8;
  for (const size_t frame : {6, 4, 1})  // losses behind the part that is read
    datagrams.erase(datagrams.begin() + static_cast<std::ptrdiff_t>(frame * each + each * 3 / 4));
  BlockPool pool(8);
  std::mutex mutex;
  FrameRef coming;
  std::atomic<bool> done = false;
  std::atomic<size_t> reads = 0, wrong = 0;
  std::thread reader([&] {
    while (!done) {
      FrameRef frame;
      {
        const std::lock_guard lock(mutex);
        frame = coming;
      }
      if (!frame) continue;
      const size_t bytes = frame->ready_bytes.load(std::memory_order_acquire);
      const auto ready = frame->view().blocks.first(std::min(bytes, ReceivingThread::kLargeFrame / 2));
      wrong += is_of_one_value(ready) ? 0 : 1;
      ++reads;
    }
  });
  int whole = 0;
  ReceivingThread receiver(
      std::make_unique<Script>(std::move(datagrams)), pool,
      [&](const FrameRef& frame, double) {
        ++whole;
        CHECK(is_of_one_value(frame->blocks) == !frame->concealed);
      },
      {},
      [&](const FrameRef& frame) {
        {
          const std::lock_guard lock(mutex);
          coming = frame;
        }
        const size_t before = reads;
        while (reads < before + 2) std::this_thread::yield();
      });
  const SteadyTime limit = steady_now() + test::kPatience;
  while (!receiver.ended() && steady_now() < limit) std::this_thread::sleep_for(1ms);
  receiver.stop();
  done = true;
  reader.join();
  CHECK(whole == 8);
  CHECK(reads >= 14);
  CHECK(wrong == 0);
}

TEST_CASE("FEC blocks are delivered without a copy: the frame is inside their memory") {
  const TextureDesc desc{.format = TextureFormat::bc1, .width = 128, .height = 64};
  const auto packetizer = transport::make_packetizer({.stream = stream_of(desc, 50), .ssrc = 7},
                                                     {.fec = transport::parse_fec("ultragrid-rs:20:30").value()});
  std::vector<Datagram> datagrams;
  for (int i = 0; i < 5; ++i) {
    const std::vector<std::byte> blocks(texture_layout(desc).total_bytes, static_cast<std::byte>(i));
    int number = 0;
    for (const auto& packet : packetizer->packetize(blocks, {.pts = i * 20ms})) {
      Datagram datagram(packet.header.begin(), packet.header.end());
      datagram.insert(datagram.end(), packet.payload.begin(), packet.payload.end());
      if (number++ % 8 != i) datagrams.push_back(std::move(datagram));
    }
  }
  const Outcome outcome = receive(std::move(datagrams));
  CHECK(outcome.values == std::vector<int>{0, 1, 2, 3, 4});
  CHECK(outcome.wrong_bytes == 0);
  CHECK(outcome.status.counters.frames_concealed == 0);
}

TEST_CASE("frames whose size contradicts their description are refused, neither shown nor read out of bounds") {
  // An odd width: a sender that does not round it up to pairs has right - 16 bytes.
  const TextureDesc pairs{.format = TextureFormat::uyvy, .width = 33, .height = 8};
  for (const TextureDesc& desc : {kDesc, pairs}) {
    const size_t right = texture_layout(desc).total_bytes;
    CHECK(receive(datagrams_of(desc, 3, right)).values.size() == 3);
    for (const size_t wrong : {right - 16, right + 16, size_t{16}}) {
      const Outcome outcome = receive(datagrams_of(desc, 3, wrong));
      CHECK(outcome.values.empty());
      CHECK(outcome.status.frames_unsupported == 3);
    }
  }
}

TEST_CASE("unsupported descriptions that alternate do not fill the log") {
  const test::LogLines lines;
  std::vector<Datagram> datagrams;
  for (int n = 0; n < 300; ++n) {
    TextureDesc desc = kDesc;
    desc.width = n % 2 == 0 ? 16 : 32;
    transport::PlainPacketizer packetizer({.stream = stream_of(desc, 50),
                                           .ssrc = 7,
                                           .first_sequence = static_cast<uint16_t>(n),
                                           .first_buffer_id = static_cast<uint32_t>(n)});
    const std::vector<std::byte> too_few(16);
    for (const auto& packet : packetizer.packetize(too_few, {.pts = n * 20ms})) {
      Datagram datagram(packet.header.begin(), packet.header.end());
      datagram.insert(datagram.end(), packet.payload.begin(), packet.payload.end());
      datagrams.push_back(std::move(datagram));
    }
  }
  const Outcome outcome = receive(std::move(datagrams));
  CHECK(outcome.values.empty());
  CHECK(outcome.status.frames_unsupported > 100);
  CHECK(lines.count() >= 1);
  CHECK(lines.count() <= 15);
}

TEST_CASE("no memory left: frames are counted, and the receiver continues") {
  BlockPool pool(2);
  std::vector<FrameRef> kept;
  ReceivingThread receiver(std::make_unique<Script>(datagrams_of(kDesc, 10, texture_layout(kDesc).total_bytes)), pool,
                           [&](const FrameRef& frame, double) { kept.push_back(frame); });
  const SteadyTime limit = steady_now() + test::kPatience;
  while (!receiver.ended() && steady_now() < limit) std::this_thread::sleep_for(1ms);
  receiver.stop();
  CHECK(kept.size() == 2);
  CHECK(receiver.status().frames_unbuffered == 8);
}

TEST_CASE("an exception of the frame callback ends the receiver and is rethrown by stop()") {
  BlockPool pool(2);
  ReceivingThread receiver(std::make_unique<Script>(datagrams_of(kDesc, 3, texture_layout(kDesc).total_bytes)), pool,
                           [](const FrameRef&, double) { throw Error(ErrorKind::failed, "disk full"); });
  const SteadyTime limit = steady_now() + test::kPatience;
  while (!receiver.ended() && steady_now() < limit) std::this_thread::sleep_for(1ms);
  CHECK_THROWS_WITH_AS(receiver.stop(), "disk full", Error);
}

TEST_CASE("a change of the sender is reported, with both addresses, and only once the first is silent") {
  // The same SSRC from two hosts, the second from the 10th datagram on, a second later.
  const auto arrival_of = [](size_t i) {
    const auto last = static_cast<std::byte>(i < 10 ? 1 : 2);
    return Script::Arrival{
        .after = i == 10 ? nanoseconds(1s) : nanoseconds(100us),
        .from = transport::PeerAddress::of_ipv4(std::array{std::byte{10}, std::byte{0}, std::byte{0}, last}, 5000)};
  };
  BlockPool pool(4);
  struct Takeovers : ReceptionEvents {
    void on_takeover(const transport::SelectedSender& before, const transport::SelectedSender& now) override {
      told.push_back({before, now});
    }
    void on_picture_sender(const transport::PeerAddress& from) override {
      pictures.push_back(std::to_integer<int>(from.host[15]));
    }
    std::vector<int> pictures;
    std::vector<std::pair<transport::SelectedSender, transport::SelectedSender>> told{};  // read after the thread's end
  } takeovers;
  ReceivingThread receiver(
      std::make_unique<Script>(datagrams_of(kDesc, 10, texture_layout(kDesc).total_bytes), arrival_of), pool,
      [](const FrameRef&, double) {}, {}, {}, &takeovers);
  const SteadyTime limit = steady_now() + test::kPatience;
  while (!receiver.ended() && steady_now() < limit) std::this_thread::sleep_for(1ms);
  receiver.stop();
  REQUIRE(takeovers.told.size() == 1);
  const auto& [before, now] = takeovers.told[0];
  CHECK(before.from.host[15] == std::byte{1});
  CHECK(now.from.host[15] == std::byte{2});
  CHECK(now.silence == 1s);
  CHECK(takeovers.pictures == std::vector<int>{1, 2});
  CHECK(receiver.status().counters.foreign == 0);
}

TEST_CASE("the incomplete frame at the end of a capture counts as arrived by then, not ten seconds later") {
  auto datagrams = datagrams_of(kDesc, 3, texture_layout(kDesc).total_bytes);
  datagrams.pop_back();
  const auto count = static_cast<int>(datagrams.size());
  BlockPool pool(4);
  std::vector<SteadyTime> arrived;
  ReceivingThread receiver(std::make_unique<Script>(std::move(datagrams)), pool,
                           [&](const FrameRef& frame, double) { arrived.push_back(frame->arrived); });
  const SteadyTime limit = steady_now() + test::kPatience;
  while (!receiver.ended() && steady_now() < limit) std::this_thread::sleep_for(1ms);
  receiver.stop();
  REQUIRE(arrived.size() == 3);
  CHECK(arrived.back() == SteadyTime(1s) + count * 100us);
}

TEST_CASE("a pool does not lend more bytes than allowed, however few the frames are") {
  BlockPool pool(10, 1000);
  const FrameRef first = pool.acquire(600);
  CHECK(first);
  CHECK_FALSE(pool.acquire(401));
  FrameRef second = pool.acquire(400);
  CHECK(second);
  CHECK_FALSE(pool.acquire(1));
  second = {};
  CHECK(pool.acquire(300));
}

namespace {

// Concatenates payloads to blocks; missing ones are taken from the previous frame.
class Concatenation : public PayloadDecoder {
 public:
  std::optional<uint32_t> decode(const transport::ReceivedFrame& frame, const FrameRef& out) override {
    std::ranges::fill(out->blocks, std::byte{0xEE});
    size_t at = 0;
    for (const Bytes payload : frame.payloads) {
      std::ranges::copy(payload, out->blocks.begin() + static_cast<std::ptrdiff_t>(at));
      at += payload.empty() ? kPayload : payload.size();
    }
    asks_ |= frame.payloads_missing > 0;
    before_ = out;
    return frame.payloads_missing * static_cast<uint32_t>(kPayload / 8);
  }
  std::optional<transport::TileQuery> query(SteadyTime) override {
    if (!std::exchange(asks_, false)) return std::nullopt;
    return transport::TileQuery{.ranges = {&range_, 1}};
  }

  static constexpr size_t kPayload = 400;

 private:
  transport::PacketRange range_{11, 2};
  bool asks_ = false;
  FrameRef before_;
};

class AnsweredScript : public Script {
 public:
  AnsweredScript(std::vector<Datagram> datagrams, std::vector<Datagram>& sent)
      : Script(std::move(datagrams)), sent_(sent) {}
  bool send_back(const transport::PeerAddress&, Bytes datagram) override {
    sent_.emplace_back(datagram.begin(), datagram.end());
    return true;
  }

 private:
  std::vector<Datagram>& sent_;
};

constexpr TextureDesc kCompactTexture{
    .format = TextureFormat::bc1, .width = 40, .height = 40, .color = {}};  // 800 bytes

// Frame i consists of bytes i, in two payloads; frame 2 loses the second.
std::vector<Datagram> compact_datagrams(uint8_t coding = kLosslessCoding) {
  transport::PacketizerSettings settings{.stream = stream_of(kCompactTexture, 50), .ssrc = 7};
  settings.stream.coding = coding;
  transport::CompactPacketizer packetizer(settings, {.takes_tile_requests = true});
  std::vector<Datagram> all;
  for (int i = 0; i < 4; ++i) {
    const std::vector<std::byte> bytes(800, static_cast<std::byte>(i));
    const std::array<Bytes, 2> payloads{Bytes(bytes).first(400), Bytes(bytes).last(400)};
    packetizer.begin({.pts = i * 20ms});
    const auto packets = packetizer.add(payloads, 2);
    for (size_t k = 0; k < packets.size(); ++k) {
      if (i == 2 && k == 1) continue;
      Datagram datagram(packets[k].header.begin(), packets[k].header.end());
      datagram.insert(datagram.end(), packets[k].payload.begin(), packets[k].payload.end());
      all.push_back(std::move(datagram));
    }
  }
  return all;
}

}  // namespace

TEST_CASE("coded frames are decoded, and the decoder's requests are sent to the sender") {
  BlockPool pool(ReceivingThread::kOwnFrames + 4);
  Concatenation decoder;
  std::vector<Datagram> sent;
  struct Seen {
    size_t bytes;
    unsigned first, last;
    uint32_t concealed;
  };
  std::vector<Seen> seen;
  ReceivingThread thread(
      std::make_unique<AnsweredScript>(compact_datagrams(), sent), pool,
      [&](const FrameRef& frame, double) {
        seen.push_back({frame->blocks.size(), std::to_integer<unsigned>(frame->blocks.front()),
                        std::to_integer<unsigned>(frame->blocks.back()), frame->concealed_blocks});
        CHECK(frame->ready_bytes == 800);
        CHECK(frame->desc == kCompactTexture);
      },
      {}, {}, nullptr, &decoder);
  while (!thread.ended()) std::this_thread::sleep_for(1ms);
  thread.stop();
  REQUIRE(seen.size() == 4);
  for (size_t i = 0; i < 4; ++i) {
    CAPTURE(i);
    CHECK(seen[i].first == i);
    CHECK(seen[i].last == (i == 2 ? 0xEE : i));
    CHECK(seen[i].concealed == (i == 2 ? 50 : 0));
  }
  REQUIRE(sent.size() == 1);
  const auto request = transport::parse_tile_request(Bytes(sent[0]).subspan(transport::kOwnHeaderBytes));
  REQUIRE(request);
  CHECK(request->ssrc == 7);
  CHECK(request->range(0) == transport::PacketRange{11, 2});
  CHECK(thread.status().frames == 4);
  CHECK(thread.status().frames_concealed == 1);
  CHECK(thread.status().concealed_blocks == 50);
}

TEST_CASE("coded frames of another version of the coding are counted, and not shown") {
  BlockPool pool(ReceivingThread::kOwnFrames);
  int seen = 0;
  std::vector<Datagram> sent;
  ReceivingThread thread(std::make_unique<AnsweredScript>(compact_datagrams(kNewestCoding + 1), sent), pool,
                         [&](const FrameRef&, double) { ++seen; });
  while (!thread.ended()) std::this_thread::sleep_for(1ms);
  thread.stop();
  CHECK(seen == 0);
  CHECK(thread.status().frames_unsupported == 4);
  CHECK(sent.empty());
}

namespace {

transport::PeerAddress at_host(unsigned last) {
  return transport::PeerAddress::of_ipv4(
      std::array{std::byte{10}, std::byte{0}, std::byte{0}, static_cast<std::byte>(last)}, 5000);
}

Datagram joined(const transport::OutgoingPacket& packet) {
  Datagram datagram(packet.header.begin(), packet.header.end());
  datagram.insert(datagram.end(), packet.payload.begin(), packet.payload.end());
  return datagram;
}

// Frames of one packet each, 20 ms apart by their time stamps; the payload of frame i begins with first + i.
std::vector<Datagram> small_frames(uint32_t ssrc, int first, int count) {
  transport::PacketizerSettings settings{.stream = stream_of(kCompactTexture, 50), .ssrc = ssrc};
  settings.stream.coding = kLosslessCoding;
  transport::CompactPacketizer packetizer(settings, {.takes_tile_requests = true});
  std::vector<Datagram> all;
  for (int i = 0; i < count; ++i) {
    const std::vector<std::byte> bytes(40, static_cast<std::byte>(first + i));
    const Bytes payload(bytes);
    packetizer.begin({.pts = i * 20ms});
    for (const auto& packet : packetizer.add({&payload, 1}, 1)) all.push_back(joined(packet));
  }
  return all;
}

// A decoder that blocks in its first frame until it is released, and remembers the frames that it got.
class Gate : public PayloadDecoder {
 public:
  struct Given {
    unsigned value = 0;  // its payload's
    bool new_stream = false;
  };
  std::optional<uint32_t> decode(const transport::ReceivedFrame& frame, const FrameRef&) override {
    std::unique_lock lock(mutex_);
    given_.push_back({std::to_integer<unsigned>(frame.payloads[0][0]), frame.new_stream});
    changed_.notify_all();
    changed_.wait_for(lock, test::kPatience, [this] { return is_open_; });
    return 0;
  }
  void open() {
    const std::lock_guard lock(mutex_);
    is_open_ = true;
    changed_.notify_all();
  }
  void wait_until_begun() {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, test::kPatience, [this] { return !given_.empty(); });
  }
  const std::vector<Given>& given() const { return given_; }  // after the end

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_open_ = false;
  std::vector<Given> given_;
};

// The decoder has the first frame before the second datagram arrives.
struct Gated {
  explicit Gated(std::vector<Datagram> datagrams, std::function<Script::Arrival(size_t)> arrival_of = {})
      : count(datagrams.size()) {
    auto source = std::make_unique<Script>(std::move(datagrams), [this, arrival_of](size_t i) {
      if (i == 1) gate.wait_until_begun();
      return arrival_of ? arrival_of(i) : Script::Arrival{};
    });
    script = source.get();
    thread.emplace(
        std::move(source), pool, [this](const FrameRef&, double) { ++shown; }, transport::ReceiveSettings{},
        ReceivingThread::OnComing{}, nullptr, &gate);
  }
  void wait_until_taken(size_t datagrams) const {
    const SteadyTime limit = steady_now() + test::kPatience;
    while (script->taken() < datagrams && steady_now() < limit) std::this_thread::sleep_for(1ms);
    CHECK(script->taken() == datagrams);
  }
  void finish() {
    gate.open();
    const SteadyTime limit = steady_now() + test::kPatience;
    while (!thread->ended() && steady_now() < limit) std::this_thread::sleep_for(1ms);
    thread->stop();
  }
  const size_t count;
  Gate gate;
  BlockPool pool{ReceivingThread::kOwnFrames + 4};
  std::atomic<uint64_t> shown = 0;
  Script* script = nullptr;
  std::optional<ReceivingThread> thread;
};

class Capture final : public Script {
 public:
  using Script::Script;
  bool live() const override { return false; }
};

}  // namespace

TEST_CASE("datagrams are read while a frame is being decoded, however long that takes") {
  Gated gated(small_frames(7, 0, 20));
  gated.wait_until_taken(20);
  gated.finish();
  CHECK(gated.gate.given().size() == 20);
  CHECK(gated.shown == 20);
  CHECK(gated.thread->status().frames == 20);
  CHECK(gated.thread->status().frames_undecoded == 0);
}

TEST_CASE("if decoding is too slow, the oldest frames are dropped and counted") {
  constexpr int kFrames = 50, kWait = static_cast<int>(DecodingThread::kMostFrames);
  Gated gated(small_frames(7, 0, kFrames));
  gated.wait_until_taken(kFrames);
  gated.finish();
  const auto& given = gated.gate.given();
  REQUIRE(given.size() == 1 + kWait);
  CHECK(given[0].value == 0);
  for (size_t i = 1; i < given.size(); ++i) CHECK(given[i].value == kFrames - kWait + static_cast<int>(i) - 1);
  CHECK(gated.thread->status().frames_undecoded == kFrames - kWait - 1);
}

TEST_CASE("a new sender's frames do not wait for those of the previous one, and the first one begins a stream") {
  auto datagrams = small_frames(66, 0, 30);
  for (Datagram& datagram : small_frames(7, 100, 5)) datagrams.push_back(std::move(datagram));
  // A burst, silence, and the other sender, each with its own address.
  Gated gated(std::move(datagrams), [](size_t i) {
    return Script::Arrival{.after = i == 30 ? nanoseconds(300ms) : nanoseconds(100us),
                           .from = at_host(i < 30 ? 66 : 1)};
  });
  gated.wait_until_taken(35);
  gated.finish();
  const auto& given = gated.gate.given();
  REQUIRE(given.size() == 1 + 5);
  for (unsigned i = 0; i < 5; ++i) {
    CHECK(given[1 + i].value == 100 + i);
    CHECK(given[1 + i].new_stream == (i == 0));
  }
  CHECK(gated.thread->status().frames_undecoded == 29);
}

TEST_CASE("if a stream's first frame is dropped, the next one begins it") {
  auto datagrams = small_frames(66, 0, 1);
  for (Datagram& datagram : small_frames(7, 100, 40)) datagrams.push_back(std::move(datagram));
  Gated gated(std::move(datagrams), [](size_t i) {
    return Script::Arrival{.after = i == 1 ? nanoseconds(300ms) : nanoseconds(100us), .from = at_host(i < 1 ? 66 : 1)};
  });
  gated.wait_until_taken(41);
  gated.finish();
  const auto& given = gated.gate.given();
  REQUIRE(given.size() == 1 + DecodingThread::kMostFrames);
  for (size_t i = 1; i < given.size(); ++i) CHECK(given[i].new_stream == (i == 1));
}

TEST_CASE("every frame of a capture is decoded, however slowly") {
  constexpr size_t kFrames = 100;
  Gate gate;
  auto source = std::make_unique<Capture>(small_frames(7, 0, kFrames));
  const Script* const script = source.get();
  BlockPool pool(ReceivingThread::kOwnFrames + 4);
  ReceivingThread thread(
      std::move(source), pool, [](const FrameRef&, double) {}, {}, {}, nullptr, &gate);
  gate.wait_until_begun();
  CHECK(script->taken() == 0);  // reading waits
  gate.open();
  const SteadyTime limit = steady_now() + test::kPatience;
  while (!thread.ended() && steady_now() < limit) std::this_thread::sleep_for(1ms);
  thread.stop();
  REQUIRE(gate.given().size() == kFrames);
  for (size_t i = 0; i < kFrames; ++i) CHECK(gate.given()[i].value == i);
  CHECK(thread.status().frames_undecoded == 0);
}

TEST_CASE("a receiver can be stopped while frames wait for decoding") {
  Gated gated(small_frames(7, 0, 20));
  gated.wait_until_taken(20);
  std::thread stopper([&] { gated.thread->stop(); });
  gated.gate.open();
  stopper.join();
  CHECK(gated.gate.given().size() <= 20);
}

TEST_CASE("an exception of the callback for decoded frames is rethrown by stop()") {
  BlockPool pool(ReceivingThread::kOwnFrames + 4);
  Concatenation decoder;
  std::vector<Datagram> sent;
  ReceivingThread thread(
      std::make_unique<AnsweredScript>(compact_datagrams(), sent), pool,
      [](const FrameRef&, double) { throw Error(ErrorKind::failed, "disk full"); }, {}, {}, nullptr, &decoder);
  const SteadyTime limit = steady_now() + test::kPatience;
  while (!thread.ended() && steady_now() < limit) std::this_thread::sleep_for(1ms);
  CHECK(thread.ended());
  CHECK_THROWS_WITH_AS(thread.stop(), "disk full", Error);
  CHECK_NOTHROW(thread.stop());
}

namespace {

// Frames that code no tile of a large picture: 77 bytes each.
std::vector<Datagram> empty_frames(int count) {
  const TextureDesc desc{.format = TextureFormat::ycocg_bc4_444, .width = 4096, .height = 4096, .color = {}};
  const compact::TileGrid grid(desc);
  compact::PayloadWriter writer(grid, 1200);
  const auto payloads = writer.write({});
  transport::PacketizerSettings settings{.stream = stream_of(desc, 50), .ssrc = 9};
  settings.stream.coding = kLosslessCoding;
  transport::CompactPacketizer packetizer(settings, {});
  std::vector<Datagram> all;
  for (int i = 0; i < count; ++i) {
    packetizer.begin({.pts = i * 20ms});
    for (const auto& packet : packetizer.add(payloads, static_cast<uint32_t>(payloads.size())))
      all.push_back(joined(packet));
  }
  return all;
}

}  // namespace

TEST_CASE("a burst of datagrams that announce a large picture allocates no memory for it, and nothing is shown") {
  auto datagrams = empty_frames(100);
  REQUIRE(datagrams.size() == 100);
  CHECK(datagrams[0].size() < 90);
  BlockPool pool(ReceivingThread::kOwnFrames, size_t{1} << 20);  // any texture would be refused, and counted
  std::atomic<int> shown = 0;
  ReceivingThread thread(std::make_unique<Script>(std::move(datagrams)), pool,
                         [&](const FrameRef&, double) { ++shown; });
  const SteadyTime limit = steady_now() + test::kPatience;
  while (!thread.ended() && steady_now() < limit) std::this_thread::sleep_for(1ms);
  thread.stop();
  CHECK(shown == 0);
  CHECK(thread.status().counters.frames_complete == 100);
  CHECK(thread.status().frames_unbuffered == 0);
  CHECK(thread.status().frames_undecoded == 100);
}

TEST_CASE("datagrams that waited long in the socket are dropped, except those of a trusted sender") {
  // A sender's first frames, 16 ms apart; then it continues, and its datagrams are late.
  const auto taken = [](int fresh, nanoseconds in_queue, unsigned late_from) {
    constexpr int kLate = 10;
    auto datagrams = datagrams_of(kDesc, fresh + kLate, texture_layout(kDesc).total_bytes);
    const size_t each = datagrams.size() / static_cast<size_t>(fresh + kLate);
    BlockPool pool(ReceivingThread::kOwnFrames + 4);
    const size_t first_late = each * static_cast<size_t>(fresh);
    ReceivingThread thread(std::make_unique<Script>(
                               std::move(datagrams),
                               [=](size_t i) {
                                 const bool is_late = i >= first_late;
                                 return Script::Arrival{.after = i % each == 0 ? nanoseconds(16ms) : nanoseconds(10us),
                                                        .from = at_host(is_late ? late_from : 1),
                                                        .in_queue = is_late ? in_queue : nanoseconds{}};
                               }),
                           pool, [](const FrameRef&, double) {});
    const SteadyTime limit = steady_now() + test::kPatience;
    while (!thread.ended() && steady_now() < limit) std::this_thread::sleep_for(1ms);
    thread.stop();
    CHECK(thread.status().frames == static_cast<uint64_t>(fresh) + (thread.status().counters.stale > 0 ? 0 : kLate));
    return thread.status().counters.stale / each;
  };
  CHECK(taken(2, 600ms, 1) == 10);   // two frames are no proof
  CHECK(taken(2, 200ms, 1) == 0);    // a busy machine
  CHECK(taken(30, 600ms, 1) == 0);   // trusted
  CHECK(taken(30, 600ms, 2) == 10);  // another sender's
}

TEST_CASE("a socket's datagrams know how long they waited in its queue") {
  UdpDatagrams source(transport::resolve_address("rtp://127.0.0.1:0", true));
  const std::vector<transport::Address> to{
      transport::resolve_address("rtp://127.0.0.1:" + std::to_string(source.port()), false)};
  transport::UdpSender sender({.destinations = to});
  const std::vector<std::byte> bytes(100, std::byte{1});
  const transport::OutgoingPacket packet{.header = bytes, .payload = {}};
  struct Sink : DatagramSink {
    void on_datagram(Bytes, const Instant& arrived, const transport::PeerAddress&) override {
      ++datagrams;
      in_queue = arrived.in_queue;
    }
    int datagrams = 0;
    nanoseconds in_queue{};
  } sink;
  // The kernel begins to stamp some time after the socket has requested it.
  for (const SteadyTime limit = steady_now() + test::kPatience; sink.in_queue < 20ms && steady_now() < limit;) {
    sender.send({&packet, 1});
    std::this_thread::sleep_for(20ms);
    for (const int before = sink.datagrams; sink.datagrams == before && steady_now() < limit;) source.read(limit, sink);
  }
  CHECK(sink.in_queue >= 20ms);
}
