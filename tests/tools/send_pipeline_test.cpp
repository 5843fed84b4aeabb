// The send pipeline with a fake source and encoder, and captures as destinations.
#include "stream/send_pipeline.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

#include "../live/fake_web_stream.h"
#include "../patience.h"
#include "../times.h"
#include "base/loop_thread.h"
#include "live/datagrams.h"
#include "live/receiving_thread.h"
#include "media/test_sound.h"
#include "temporary_folder.h"
#include "texcast/error.h"
#include "textures/stream_format.h"
#include "transport/receive_session.h"

using namespace texcast;
using namespace texcast::stream;
using test::TemporaryFolder;
using namespace std::chrono_literals;

namespace {

constexpr int kWidth = 64, kHeight = 32;

class FakeSource : public media::FrameSource {
 public:
  explicit FakeSource(int frames, nanoseconds decode_time = 0ms, int throws_at = -1)
      : frames_(frames), decode_time_(decode_time), throws_at_(throws_at) {}
  // Pictures have half the height from that frame on.
  void shrinks_at(int frame) { shrinks_at_ = frame; }
  void has_frame_time(nanoseconds time) { frame_time_ = time; }
  std::optional<media::SourceFrame> next() override {
    if (at_ == throws_at_) throw Error(ErrorKind::input, "unplugged");
    if (at_ >= frames_) return std::nullopt;
    std::this_thread::sleep_for(decode_time_);
    const int number = at_++;
    pixels_.fill(static_cast<std::byte>(number));
    media::SourceFrame frame;
    frame.view.format = format();
    if (number >= shrinks_at_) frame.view.format.height = kHeight / 2;
    frame.view.planes[0] = {pixels_.data(), kWidth};
    frame.times.pts = std::exchange(pts_, pts_ + frame_time_);
    frame.place = number * 10ms;
    frame.times.available = wall_now();
    return frame;
  }
  FrameFormat format() const override {
    return {.pixel_format = PixelFormat::gray, .width = kWidth, .height = kHeight, .color = {}};
  }
  double fps() const override { return 100; }
  bool is_live() const override { return false; }
  bool is_image() const override { return false; }
  std::optional<int64_t> frame_count() const override { return frames_; }
  int64_t damaged_frames() const override { return 0; }
  bool seek(nanoseconds place) override {
    at_ = static_cast<int>(place / 10ms);
    return true;
  }

 private:
  nanoseconds pts_ = 0ms, frame_time_ = 10ms;
  int shrinks_at_ = INT32_MAX;
  int frames_;
  nanoseconds decode_time_;
  int throws_at_;
  int at_ = 0;
  std::array<std::byte, kWidth * kHeight> pixels_{};
};

// Calls back at the time when work is finished, like a driver's thread.
class FakeDevice {
 public:
  void set(std::function<void()> call) {
    const std::lock_guard lock(mutex_);
    call_ = std::move(call);
  }
  void finishes_at(SteadyTime time) {
    {
      const std::lock_guard lock(mutex_);
      times_.push_back(time);
    }
    changed_.notify_all();
  }

 private:
  void run(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (changed_.wait(lock, stop, [this] { return !times_.empty(); }) && !stop.stop_requested()) {
      const auto next = std::chrono::steady_clock::time_point(times_.front());
      changed_.wait_until(lock, stop, next, [] { return false; });
      times_.pop_front();
      if (call_) call_();
    }
  }
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<SteadyTime> times_;
  std::function<void()> call_;
  LoopThread thread_{[this](const std::stop_token& stop) { run(stop); }};
};

// "Encodes" by filling the blocks with the first byte of the picture, `encode_time` after the previous frame.
class FakeEncoder : public Encoder {
 public:
  explicit FakeEncoder(nanoseconds encode_time = 0ms,
                       TextureDesc desc = {.format = TextureFormat::bc1, .width = kWidth, .height = kHeight})
      : encode_time_(encode_time), desc_(desc), blocks_(texture_layout(desc).total_bytes) {}
  void submit(const FrameView& frame, const FrameTimes& times) override {
    REQUIRE(in_flight() < capacity());
    ++submitted_;
    const SteadyTime starts = queue_.empty() ? steady_now() : std::max(queue_.back().done, steady_now());
    queue_.push_back({*frame.planes[0].data, times, starts + encode_time_});
    device_.finishes_at(starts + encode_time_);
  }
  void on_progress(std::function<void()> call) override { device_.set(std::move(call)); }
  EncodedFrame next() override {
    REQUIRE(!queue_.empty());
    const Job job = queue_.front();
    queue_.pop_front();
    std::this_thread::sleep_until(std::chrono::steady_clock::time_point(job.done));
    std::fill(blocks_.begin(), blocks_.end(), job.value);
    EncodedFrame out{{texture_desc(), blocks_}, job.times};
    out.times.encoded = wall_now();
    return out;
  }
  bool ready() const override {
    ++looks_;
    return !queue_.empty() && steady_now() >= queue_.front().done;
  }
  int looks() const { return looks_; }          // calls of ready()
  int submitted() const { return submitted_; }  // frames
  int in_flight() const override { return static_cast<int>(queue_.size()); }
  int capacity() const override { return 3; }
  TextureDesc texture_desc() const override { return desc_; }
  StageTimes last_stage_times() const override { return {}; }
  std::string device_name() const override { return "fake"; }

 private:
  struct Job {
    std::byte value;
    FrameTimes times;
    SteadyTime done;
  };
  nanoseconds encode_time_;
  TextureDesc desc_;
  std::deque<Job> queue_;
  std::vector<std::byte> blocks_;
  mutable int looks_ = 0;
  int submitted_ = 0;
  FakeDevice device_;
};

// Frames in two bands, of which the second is finished only after a packet of the first has arrived, so that a sender
// which waits for complete frames would hang. The packets go through a session.
class BandedEncoder : public Encoder, private DatagramSink {
 public:
  explicit BandedEncoder(UdpDatagrams& listener) : listener_(listener) {}
  void submit(const FrameView& frame, const FrameTimes& times) override {
    REQUIRE(in_flight_ == 0);
    in_flight_ = 1;
    value_ = *frame.planes[0].data;
    times_ = times;
    auto& blocks = blocks_[++submitted_ % 2];  // the sender may still use the other one
    blocks.fill(std::byte{0xEE});
    ready_ = kBytes / 2;
    std::fill_n(blocks.begin(), ready_, value_);
  }
  void on_progress(std::function<void()> call) override {
    call_.reset();
    if (!call) return;
    call_.emplace([call = std::move(call)](const std::stop_token& stop) {
      for (; !stop.stop_requested(); std::this_thread::sleep_for(200us)) call();  // a packet may have arrived
    });
  }
  size_t ready_bytes() override {
    if (in_flight_ == 0) return 0;
    const int before = packets_;
    receive();
    if (packets_ == before || ready_ == kBytes) return ready_;
    ++early_;
    ready_ = kBytes;
    auto& blocks = blocks_[submitted_ % 2];
    std::fill(blocks.begin() + kBytes / 2, blocks.end(), value_);
    return ready_;
  }
  EncodedFrame peek() override { return {{texture_desc(), blocks_[submitted_ % 2]}, times_}; }
  EncodedFrame next() override {
    REQUIRE(ready());
    in_flight_ = 0;
    times_.encoded = wall_now();
    return peek();
  }
  bool ready() const override { return in_flight_ == 1 && ready_ == kBytes; }
  int bands() const override { return 2; }
  int in_flight() const override { return in_flight_; }
  int capacity() const override { return 1; }
  TextureDesc texture_desc() const override { return {.format = TextureFormat::bc1, .width = 128, .height = 128}; }
  StageTimes last_stage_times() const override { return {}; }
  std::string device_name() const override { return "banded"; }

  void receive() { listener_.read(steady_now(), *this); }
  int early() const { return early_; }  // frames whose packets arrived before they were complete
  const std::vector<int>& values() const { return values_; }

 private:
  static constexpr size_t kBytes = 8192;
  void on_datagram(Bytes datagram, const Instant& at, const transport::PeerAddress&) override {
    if (datagram.back() == value_) ++packets_;  // not of the previous frame
    session_.on_datagram(datagram, at.steady, at.wall);
    while (const auto frame = session_.poll(at.steady, at.wall)) {
      const auto value = frame->bytes[0];
      const bool whole = frame->concealed_bytes == 0 &&
                         std::all_of(frame->bytes.begin(), frame->bytes.end(), [&](auto b) { return b == value; });
      values_.push_back(whole ? std::to_integer<int>(value) : -1);
    }
  }
  UdpDatagrams& listener_;
  transport::ReceiveSession session_;
  std::array<std::array<std::byte, kBytes>, 2> blocks_{};
  std::byte value_{};
  FrameTimes times_;
  size_t submitted_ = 0, ready_ = 0;
  int in_flight_ = 0, packets_ = 0, early_ = 0;
  std::vector<int> values_;
  std::optional<LoopThread> call_;
};

// Receives for as long as it exists. With losses it drops every eighth packet and the last of each frame at first
// arrival, and sends NACKs. Its clock advances with each poll, and stops until a NACK is answered.
class Receiver : private DatagramSink {
 public:
  explicit Receiver(bool has_losses = false) : has_losses_(has_losses), session_({.request_lost = has_losses}) {}
  ~Receiver() { stop(); }
  uint16_t port() const { return listener_.port(); }
  void stop() {
    stopping_ = true;
    if (thread_.joinable()) thread_.join();
  }
  // Frames of which every byte arrived and is the same.
  int whole() const { return whole_; }
  uint64_t again() const { return again_; }  // packets that arrived a second time

 private:
  void on_datagram(Bytes datagram, const Instant& /*arrived*/, const transport::PeerAddress& from) override {
    from_ = from;
    const uint8_t sequence = std::to_integer<uint8_t>(datagram[3]);
    const bool last = (std::to_integer<unsigned>(datagram[1]) & 0x80) != 0;
    if (has_losses_ && (last || sequence % 8 == 0)) {
      if (lost_.insert(sequence).second) return;
      ++again_;
    }
    session_.on_datagram(datagram, now_.steady, now_.wall);
  }
  void look() {
    if (again_ >= session_.counters().requested) now_ = {.steady = now_.steady + 1ms, .wall = now_.wall + 1ms};
    while (const auto request = session_.poll_feedback(now_.steady)) listener_.send_back(from_, *request);
    while (const auto frame = session_.poll(now_.steady, now_.wall))
      whole_ += frame->concealed_bytes == 0 &&
                std::all_of(frame->bytes.begin(), frame->bytes.end(), [&](auto b) { return b == frame->bytes[0]; });
  }
  const bool has_losses_;
  Instant now_ = instant_now();
  UdpDatagrams listener_{transport::resolve_address("rtp://127.0.0.1:0", true)};
  transport::ReceiveSession session_;
  transport::PeerAddress from_;
  std::set<uint8_t> lost_;
  std::atomic<uint64_t> again_ = 0;
  std::atomic<int> whole_ = 0;
  std::atomic<bool> stopping_ = false;
  std::thread thread_{[this] {
    // When nothing more is sent, the socket's queue is read in a few calls.
    for (int more = 20; more > 0; more -= stopping_) {
      listener_.read(steady_now() + 2ms, *this);
      look();
    }
  }};
};

const std::atomic<bool> kNeverStop = false;

// These tests parse packets, which contain the offsets of their bytes.
SendSettings plain(double fps, const transport::WireChoice& wire = {}) {
  return {.fps = fps, .wire = wire, .compact = {.on = false}};
}

SendReport send(media::FrameSource& source, Encoder& encoder, const std::vector<std::string>& urls,
                const SendSettings& settings = plain(100), std::optional<int64_t> frames = {}) {
  Destinations destinations(urls);
  return send_stream(
      source, encoder, destinations, settings, kNeverStop, [](const SendReport&) {}, frames);
}

}  // namespace

TEST_CASE("a capture holds every frame in order, with time stamps of real time, however fast it was written") {
  const TemporaryFolder folder;
  const std::string file = folder.path / "out.pcap";
  FakeSource source(200);
  source.has_frame_time(1s);
  FakeEncoder encoder;
  const SteadyTime begun = steady_now();
  const SendReport report = send(source, encoder, {"pcap:" + file}, plain(1));
  CHECK(steady_now() - begun < 100s);  // for 200 seconds of video
  CHECK(report.frames_in == 200);
  CHECK(report.sent.frames == 200);
  CHECK(report.dropped == 0);

  transport::PcapReader reader(file);
  transport::ReceiveSession session;
  std::vector<int> values;
  WallTime first{}, last{};
  while (const auto datagram = reader.next()) {
    if (values.empty()) first = datagram->time;
    last = datagram->time;
    session.on_datagram(datagram->payload, steady_of(datagram->time), datagram->time);
    while (const auto frame = session.poll(steady_of(datagram->time), datagram->time)) {
      REQUIRE(frame->bytes.size() == kWidth * kHeight / 2);
      CHECK(frame->concealed_bytes == 0);
      values.push_back(std::to_integer<int>(frame->bytes[0]));
    }
  }
  REQUIRE(values.size() == 200);
  for (int i = 0; i < 200; ++i) REQUIRE(values[static_cast<size_t>(i)] == i);
  CHECK(std::chrono::duration<double>(last - first).count() == doctest::Approx(199).epsilon(0.01));
}

TEST_CASE("the frame limit counts frames of the input") {
  const TemporaryFolder folder;
  FakeSource source(100);
  FakeEncoder encoder;
  const SendReport report = send(source, encoder, {"pcap:" + (folder.path / "out.pcap").string()}, plain(100), 7);
  CHECK(report.frames_in == 7);
  CHECK(report.sent.frames == 7);
}

TEST_CASE("a file is sent in real time, without drift") {
  UdpDatagrams listener(transport::resolve_address("rtp://127.0.0.1:0", true));
  FakeSource source(60);
  FakeEncoder encoder(2ms);
  const SendReport report = send(source, encoder, {"rtp://127.0.0.1:" + std::to_string(listener.port())});
  CHECK(report.sent.frames + report.dropped == 60);
  CHECK(report.seconds > 0.58);  // 59 frame times, or longer on a slow machine
}

TEST_CASE("the encoder is not polled while it works") {
  UdpDatagrams listener(transport::resolve_address("rtp://127.0.0.1:0", true));
  FakeSource source(20);
  FakeEncoder encoder(40ms);
  const SendReport report = send(source, encoder, {"rtp://127.0.0.1:" + std::to_string(listener.port())}, plain(20));
  CHECK(report.sent.frames >= 2);
  // Some calls at each event: a frame decoded, due, encoded, sent, too late.
  CHECK(encoder.looks() < 30 * static_cast<int>(report.frames_in));
}

TEST_CASE("the beginning of a frame is sent while its end is being encoded") {
  UdpDatagrams listener(transport::resolve_address("rtp://127.0.0.1:0", true));
  FakeSource source(5);
  source.has_frame_time(200ms);  // so that a loaded machine drops few of them
  BandedEncoder encoder(listener);
  std::atomic<bool> stop = false;
  const SteadyTime limit = steady_now() + test::kPatience;  // in case the sender waits for ever
  Destinations destinations({"rtp://127.0.0.1:" + std::to_string(listener.port())});
  const SendReport report = send_stream(source, encoder, destinations, plain(100), stop,
                                        [&](const SendReport&) { stop = steady_now() > limit; });
  encoder.receive();
  CHECK(report.sent.frames == static_cast<uint64_t>(encoder.early()));
  CHECK(report.sent.frames + report.dropped == 5);
  CHECK(encoder.early() >= 2);
  CHECK(encoder.values().size() == report.sent.frames);
  CHECK(std::is_sorted(encoder.values().begin(), encoder.values().end()));
  CHECK(std::count(encoder.values().begin(), encoder.values().end(), -1) == 0);
  CHECK(report.sent.first.percentile(0.5) <= report.sent.encode.percentile(0.5));
  CHECK(report.sent.encode.percentile(0.5) <= report.sent.last.percentile(0.5));
}

TEST_CASE("a frame of many packets is sent completely, however much of them is headers and parity") {
  Receiver receiver;
  FakeSource source(10);
  FakeEncoder encoder(0ms, {.format = TextureFormat::bc1, .width = 1024, .height = 1000});
  Destinations destinations({"rtp://127.0.0.1:" + std::to_string(receiver.port())});
  std::atomic<bool> stop = false;
  const SteadyTime limit = steady_now() + test::kPatience;  // in case the sender waits for ever
  SendSettings settings = plain(20, {.fec = {.kind = transport::FecKind::parity, .percent = 100}});
  settings.mtu = 576;
  const SendReport report = send_stream(source, encoder, destinations, settings, stop,
                                        [&](const SendReport&) { stop = steady_now() > limit; });
  CHECK(!stop);
  CHECK(report.sent.frames + report.dropped == 10);
  CHECK(report.sent.frames >= 2);
  // As many as the packetizer makes of a frame in one piece.
  const std::vector<std::byte> blocks(texture_layout(encoder.texture_desc()).total_bytes);
  const transport::PacketizerSettings one{.stream = stream_of(encoder.texture_desc(), settings.fps),
                                          .mtu = settings.mtu};
  const size_t packets = transport::make_packetizer(one, settings.wire)->packetize(blocks, {}).size();
  CHECK(report.sent.packets == report.sent.frames * packets);
  receiver.stop();
  CHECK(receiver.whole() >= 1);  // the receiver may be too slow for more
}

TEST_CASE("at the end no more audio is sent, and all that was sent is counted") {
  const UdpDatagrams listener(transport::resolve_address("rtp://127.0.0.1:0", true));
  const std::vector<std::string> urls = {"rtp://127.0.0.1:" + std::to_string(listener.port())};
  FakeSource source(10);
  FakeEncoder encoder(0ms);
  Destinations destinations(urls);
  SoundSender sound({.reader = media::open_test_sound(), .begin = {}, .live = nullptr, .name = "test"}, urls, {}, {});
  send_stream(
      source, encoder, destinations, plain(100), kNeverStop, [](const SendReport&) {}, {}, nullptr, &sound);
  const uint64_t packets = sound.sent().wire.packets;
  CHECK(packets > 0);
  std::this_thread::sleep_for(50ms);  // ten pieces
  CHECK(sound.sent().wire.packets == packets);
}

TEST_CASE("lost packets of the last frame are resent too") {
  Receiver receiver(true);
  FakeSource source(1);
  FakeEncoder encoder(
      0ms, {.format = TextureFormat::bc1, .width = 256, .height = 256});  // 24 packets, three or four of them lost
  SendSettings settings = plain(20, {.answers_requests = true});
  settings.answer_time = test::kPatience;
  Destinations destinations({"rtp://127.0.0.1:" + std::to_string(receiver.port())});
  std::atomic<bool> stop = false;
  const LoopThread watch([&](const std::stop_token& over) {
    while (!over.stop_requested() && receiver.whole() == 0) std::this_thread::sleep_for(1ms);
    stop = true;
  });
  const SendReport report = send_stream(source, encoder, destinations, settings, stop, [](const SendReport&) {});
  receiver.stop();
  CHECK(report.sent.frames == 1);
  CHECK(receiver.again() >= 2);
  CHECK(report.sent.again == receiver.again());
  CHECK(receiver.whole() == 1);
}

TEST_CASE("an encoder that is too slow costs whole frames, counted, and does not build up delay") {
  UdpDatagrams listener(transport::resolve_address("rtp://127.0.0.1:0", true));
  FakeSource source(80);
  FakeEncoder encoder(30ms);  // three times too slow
  const SendReport report = send(source, encoder, {"rtp://127.0.0.1:" + std::to_string(listener.port())});
  CHECK(report.frames_in == 80);
  CHECK(report.sent.frames + report.dropped == 80);
  CHECK(report.dropped > 30);
  CHECK(report.sent.frames >= 10);
  // Three frames may be in the encoder; no queue is longer.
  CHECK(report.sent.encode.percentile(0.95) < 250ms);
}

TEST_CASE("a decoder that is too slow loses no frame: the stream runs slowly, and reports it") {
  UdpDatagrams listener(transport::resolve_address("rtp://127.0.0.1:0", true));
  FakeSource source(30, 20ms);
  FakeEncoder encoder;
  const SendReport report = send(source, encoder, {"rtp://127.0.0.1:" + std::to_string(listener.port())});
  CHECK(report.sent.frames == 30);
  CHECK(report.dropped == 0);
  CHECK(report.slipped > 200ms);
}

namespace {

// An encoder whose kernels are built at the `looks`-th call; until then it encodes on the CPU.
class PreparingEncoder : public FakeEncoder {
 public:
  static constexpr int kNever = INT32_MAX;
  explicit PreparingEncoder(int looks, nanoseconds encode_time = 0ms) : FakeEncoder(encode_time), looks_left_(looks) {}
  EncoderPreparation preparation() override { return {.is_over = looks_left_ == 0 || --looks_left_ == 0}; }
  void compile_at_low_priority() override { ++stepped_back_; }
  void submit(const FrameView& frame, const FrameTimes& times) override {
    const bool is_sent = times.available != WallTime{};
    ++(is_sent ? sent_ : tried_);
    if (!is_sent) first_bytes_.push_back(std::to_integer<int>(*frame.planes[0].data));
    if (is_sent && looks_left_ > 0) ++early_;
    const bool is_marked = !frame.changed.empty() && std::ranges::count(frame.changed, 1) == std::ssize(frame.changed);
    if (is_sent && is_marked) marked_.push_back(sent_);
    FakeEncoder::submit(frame, times);
  }
  EncodedFrame next() override {
    const EncodedFrame frame = FakeEncoder::next();
    if (frame.times.available != WallTime{} && !first_taken_) first_taken_ = steady_now();
    return frame;
  }
  SteadyTime first_taken() const { return first_taken_.value_or(SteadyTime::max()); }  // of the frames that are sent
  int sent() const { return sent_; }
  int tried() const { return tried_; }                                  // frames of the trial, which are not sent
  const std::vector<int>& first_bytes() const { return first_bytes_; }  // of these frames
  int early() const { return early_; }  // frames that are sent before the kernels are built
  const std::vector<int>& marked() const {
    return marked_;
  }  // numbers of the frames sent as completely changed; the first is 1
  int stepped_back() const { return stepped_back_; }

 private:
  int looks_left_;
  int sent_ = 0, tried_ = 0, early_ = 0, stepped_back_ = 0;
  std::vector<int> marked_, first_bytes_;
  std::optional<SteadyTime> first_taken_;
};

class LiveSource final : public FakeSource {
 public:
  using FakeSource::FakeSource;
  bool is_live() const override { return true; }
};

// A stream that may wait for its encoder. `waits` counts calls of on_wait.
struct Waiting {
  int waits = 0, ends = 0;
  std::atomic<bool> stop = false;
  int stop_at_wait = INT32_MAX;
  bool compact = false;
  SendReport send(media::FrameSource& source, Encoder& encoder, double fps, nanoseconds at_most) {
    const SteadyTime limit = steady_now() + test::kPatience;  // in case it waits for ever
    Destinations destinations({"rtp://127.0.0.1:" + std::to_string(listener.port())}, {}, true, IfExists::refuse,
                              compact);
    const StartWait wait{.at_most = at_most,
                         .on_wait =
                             [&](nanoseconds) {
                               if (++waits >= stop_at_wait || steady_now() > limit) stop = true;
                             },
                         .on_end = [&] { ++ends; }};
    SendSettings settings = plain(fps);
    settings.spread = 1e-6;  // part of a frame time, which may be long
    settings.compact = {.on = compact, .threads = 0};
    return send_stream(
        source, encoder, destinations, settings, stop, [](const SendReport&) {}, {}, nullptr, nullptr, wait);
  }
  UdpDatagrams listener{transport::resolve_address("rtp://127.0.0.1:0", true)};
};

// The frame rate is too high for that encoder, or low enough for any encoder.
constexpr nanoseconds kSlow = 2ms;
constexpr double kFast = 1000, kEasy = 0.01;

}  // namespace

TEST_CASE("a file's first frame waits until the kernels are built") {
  Waiting waiting;
  FakeSource source(5);
  PreparingEncoder encoder(8, kSlow);
  const SendReport report = waiting.send(source, encoder, kFast, 1h);
  CHECK(encoder.early() == 0);
  CHECK(report.frames_in == 5);
  CHECK(report.waited > 0ns);
  CHECK(waiting.waits == 7);
  CHECK(waiting.ends == 1);
  CHECK(encoder.stepped_back() == 1);
  // The trial encoded the first frame, but it is new to the receivers.
  CHECK(encoder.tried() > 0);
  CHECK(encoder.marked() == std::vector<int>{1});
  CHECK(static_cast<int>(report.sent.frames) == encoder.sent());
}

TEST_CASE("before a file begins, its first frame is encoded and coded without being sent, and memory is there") {
  class PooledEncoder final : public PreparingEncoder {
   public:
    using PreparingEncoder::PreparingEncoder;
    std::shared_ptr<FramePool> frame_pool() override { return pool; }
    const std::shared_ptr<FramePool> pool = FramePool::create(FakeSource(0).format(), 64);
  };
  for (const bool compact : {false, true}) {
    CAPTURE(compact);
    Waiting waiting;
    waiting.compact = compact;
    FakeSource source(5);
    PooledEncoder encoder(0);
    const SendReport report = waiting.send(source, encoder, 100, 1h);
    CHECK(waiting.waits == 0);  // it is too short to report
    CHECK(encoder.tried() >= 1);
    CHECK(encoder.marked() == std::vector<int>{1});
    CHECK(report.frames_in == 5);
    CHECK(static_cast<int>(report.sent.frames) == encoder.sent());
    CHECK(encoder.first_taken() <= report.begun);
    CHECK(encoder.pool->frames() == static_cast<size_t>(encoder.capacity()) + 2);
    CHECK(encoder.pool->lent() == 0);
  }
}

TEST_CASE("the first frame is rehearsed in turn with the same picture moved by two rows") {
  class Rows final : public FakeSource {
   public:
    using FakeSource::FakeSource;
    std::optional<media::SourceFrame> next() override {
      auto frame = FakeSource::next();
      for (size_t i = 0; i < pixels_.size(); ++i) pixels_[i] = static_cast<std::byte>(i / kWidth);
      if (frame) frame->view.planes[0].data = pixels_.data();
      return frame;
    }

   private:
    std::array<std::byte, kWidth * kHeight> pixels_{};
  };
  Waiting waiting;
  waiting.compact = true;
  Rows source(5);
  PreparingEncoder encoder(0);
  waiting.send(source, encoder, 100, 1h);
  REQUIRE(encoder.tried() >= 2);
  for (size_t i = 0; i < encoder.first_bytes().size(); ++i) CHECK(encoder.first_bytes()[i] == (i % 2 == 0 ? 0 : 2));
}

TEST_CASE("a file's first frame does not wait for kernels if the CPU keeps up, which is tried without sending") {
  for (const bool compact : {false, true}) {
    CAPTURE(compact);
    Waiting waiting;
    waiting.compact = compact;
    FakeSource source(5);
    PreparingEncoder encoder(PreparingEncoder::kNever);
    const SendReport report = waiting.send(source, encoder, kEasy, 1h);
    CHECK(!waiting.stop);
    CHECK(encoder.early() == 5);
    CHECK(encoder.tried() == 4);
    CHECK(report.sent.frames == 5);
    CHECK(encoder.marked() == std::vector<int>{1});
  }
}

TEST_CASE("a live source starts at once, and so does a file with a wait of zero") {
  LiveSource live(5);
  FakeSource file(5);
  for (FakeSource* source : {static_cast<FakeSource*>(&live), &file}) {
    CAPTURE(source->is_live());
    Waiting waiting;
    PreparingEncoder encoder(PreparingEncoder::kNever);
    const SendReport report = waiting.send(*source, encoder, kEasy, source->is_live() ? 1h : 0h);
    CHECK(report.frames_in == 5);
    CHECK(waiting.waits == 0);
    CHECK(encoder.tried() == 0);
    CHECK(encoder.early() == encoder.sent());
    CHECK(encoder.marked().empty());
    CHECK(encoder.stepped_back() == 1);
  }
}

TEST_CASE("a file's first frame waits no longer than the limit") {
  Waiting waiting;
  FakeSource source(5);
  PreparingEncoder encoder(PreparingEncoder::kNever, kSlow);
  const SendReport report = waiting.send(source, encoder, kFast, 30ms);
  CHECK(!waiting.stop);
  CHECK(report.waited >= 30ms);
  CHECK(report.frames_in == 5);
  CHECK(encoder.early() == encoder.sent());
}

TEST_CASE("an interrupt ends a stream that waits for its kernels, and nothing is sent") {
  Waiting waiting;
  waiting.stop_at_wait = 3;
  FakeSource source(5);
  PreparingEncoder encoder(PreparingEncoder::kNever, kSlow);
  const SendReport report = waiting.send(source, encoder, kFast, 1h);
  CHECK(waiting.waits == 3);
  CHECK(report.frames_in == 0);
  CHECK(encoder.sent() == 0);
}

TEST_CASE("an error of the source ends the stream and reaches the caller") {
  const TemporaryFolder folder;
  FakeSource source(100, 0ms, 5);
  FakeEncoder encoder;
  CHECK_THROWS_WITH_AS(send(source, encoder, {"pcap:" + (folder.path / "out.pcap").string()}), "unplugged", Error);
}

TEST_CASE("the rate limit is never exceeded, also not by queued frames") {
  UdpDatagrams listener(transport::resolve_address("rtp://127.0.0.1:0", true));
  FakeSource source(40);
  FakeEncoder encoder;
  constexpr double kRate = 400e3;  // the stream wants twice as much
  SendSettings settings = plain(100);
  settings.rate_bits_per_s = kRate;
  const SendReport report = send(source, encoder, {"rtp://127.0.0.1:" + std::to_string(listener.port())}, settings);
  CHECK(report.sent.frames < 40);
  const double ethernet = static_cast<double>(report.sent.packets) * (20 + 8 + 38);
  const double wire_bits = (static_cast<double>(report.sent.bytes) + ethernet) * 8;
  const double one_frame = wire_bits / static_cast<double>(report.sent.frames);  // the last may just have been sent
  CHECK(wire_bits - one_frame <= kRate * report.seconds);
  CHECK(wire_bits > kRate * report.seconds * 0.2);  // and it is used, also on a busy machine
}

TEST_CASE("stopping is quick at any time") {
  UdpDatagrams listener(transport::resolve_address("rtp://127.0.0.1:0", true));
  FakeSource source(100000);
  FakeEncoder encoder(2ms);
  Destinations destinations({"rtp://127.0.0.1:" + std::to_string(listener.port())});
  std::atomic<bool> stop = false;
  SteadyTime stopped{};
  const SendReport report = send_stream(source, encoder, destinations, plain(100), stop, [&](const SendReport& now) {
    if (now.sent.frames < 5) return;
    stop = true;
    stopped = steady_now();
  });
  CHECK(steady_now() - stopped < 1s);
  CHECK(report.sent.frames >= 5);
}

namespace {

// Textures of 64x32, or with half the height 64x16 texels, whose blocks hold the frame's number.
class FakePlan final : public StreamPlan {
 public:
  explicit FakePlan(bool compact) : compact_(compact) {}
  EncoderChoice choice() const override { return {}; }
  std::unique_ptr<Encoder> make_encoder(const EncoderChoice& choice, const FrameFormat& source,
                                        EncoderStart start) const override {
    if (choice.quality == Quality::best) throw Error(ErrorKind::usage, "nothing is the best");
    at_once += start == EncoderStart::at_once;
    return std::make_unique<FakeEncoder>(
        0ms, TextureDesc{.format = choice.format, .width = source.width, .height = source.height});
  }
  SendSettings settings(const TextureDesc&) const override {
    SendSettings settings{.fps = 100, .compact = {.on = compact_, .threads = 0}};
    settings.spread = 0.1;
    return settings;
  }
  mutable std::atomic<int> at_once = 0;

 private:
  const bool compact_;
};

// Receives a stream and runs a script of changes: step n is requested after frame 4 n has arrived.
class Steered {
 public:
  Steered(bool compact, std::vector<SendChange> script) : plan_(compact), script_(std::move(script)), pool_(24) {
    auto source = std::make_unique<UdpDatagrams>(transport::resolve_address("rtp://127.0.0.1:0", true));
    url_ = "rtp://127.0.0.1:" + std::to_string(source->port());
    receiver_ = std::make_unique<ReceivingThread>(std::move(source), pool_,
                                                  [this](const FrameRef& frame, double) { take(*frame); });
  }
  SendReport run(FakeSource& source) {
    std::unique_ptr<Encoder> encoder = plan_.make_encoder({}, source.format(), EncoderStart::when_built);
    Destinations destinations({url_}, {}, true, IfExists::refuse, plan_.settings({}).compact.on);
    const Changeable changeable{.plan = plan_, .encoder = encoder, .steering = &steering_};
    const SteadyTime limit = steady_now() + test::kPatience;
    std::atomic<bool> stop = false;
    const SendReport report = send_stream(
        source, *encoder, destinations, plan_.settings({}), stop,
        [&](const SendReport&) { stop = steady_now() > limit; }, {}, &changeable);
    CHECK(!stop);
    CHECK(report.sent.frames <= report.frames_in - report.dropped + stills_);
    for (const SteadyTime end = steady_now() + 5s;
         steady_now() < end && receiver_->status().frames < report.sent.frames;)
      std::this_thread::sleep_for(1ms);
    receiver_->stop();
    return report;
  }
  void expect_stills() { stills_ = 1000; }  // a pause repeats pictures
  struct Came {
    TextureDesc desc{};
    int value = 0;
  };
  const std::vector<Came>& came() const { return came_; }  // after run()
  const std::vector<std::string>& outcomes() const { return outcomes_; }
  const std::string& url() const { return url_; }
  const FakePlan& plan() const { return plan_; }
  Steering& steering() { return steering_; }
  StreamStatus status() const { return receiver_->status(); }

 private:
  void take(const PooledFrame& frame) {
    const bool whole = std::ranges::all_of(frame.blocks, [&](std::byte b) { return b == frame.blocks[0]; });
    came_.push_back({frame.desc, whole && !frame.concealed ? std::to_integer<int>(frame.blocks[0]) : -1});
    if (came_.size() < 4 * (next_ + 1) || next_ >= script_.size()) return;
    steering_.change(script_[next_++], [this](const std::optional<Error>& wrong) {
      const std::lock_guard lock(mutex_);
      outcomes_.push_back(wrong ? wrong->what() : "done");
    });
  }
  FakePlan plan_;
  std::vector<SendChange> script_;
  BlockPool pool_;
  Steering steering_;
  std::string url_;
  std::mutex mutex_;
  uint64_t stills_ = 0;
  std::vector<Came> came_;
  std::vector<std::string> outcomes_;
  size_t next_ = 0;
  std::unique_ptr<ReceivingThread> receiver_;  // last: it uses the above
};

}  // namespace

TEST_CASE("a running stream changes format and rate, and an impossible change has no effect") {
  for (const bool compact : {false, true}) {
    CAPTURE(compact);
    Steered steered(compact, {{.format = TextureFormat::bc3},
                              {.quality = Quality::best},
                              {.rate_bits_per_s = std::optional(500e6)},
                              {.add = {"rtp://127.0.0.1:9"}},
                              {.add = {"nowhere"}},
                              {.format = TextureFormat::bc1, .quality = Quality::normal},
                              {.remove = {"rtp://127.0.0.1:9"}}});
    FakeSource source(60);
    const SendReport report = steered.run(source);
    CHECK(steered.outcomes() == std::vector<std::string>{"done", "nothing is the best", "done", "done",
                                                         "cannot add 'nowhere' to a running stream; give "
                                                         "rtp://HOST:PORT or web://[ADDRESS]:PORT",
                                                         "done", "done"});
    const SendState state = steered.steering().state();
    CHECK(state.choice == EncoderChoice{.format = TextureFormat::bc1, .quality = Quality::normal});
    CHECK(state.rate_bits_per_s == 500e6);
    CHECK(state.destinations == std::vector<std::string>{steered.url()});
    CHECK(state.position == 590ms);
    CHECK(state.changes == 5);
    // Everything that is sent arrives completely and in order.
    CHECK(report.frames_in == 60);
    CHECK(report.sent.frames + report.dropped == 60);
    CHECK(steered.came().size() == report.sent.frames);
    int before = -1, changes = 0;
    TextureFormat format = TextureFormat::bc1;
    for (const auto& frame : steered.came()) {
      CHECK(frame.value > before);
      before = frame.value;
      changes += std::exchange(format, frame.desc.format) != frame.desc.format;
    }
    CHECK(changes == 2);
    CHECK(format == TextureFormat::bc1);
    CHECK(steered.status().counters.streams == 3);
  }
}

TEST_CASE("raw and lossless streams refuse a crf and a bit rate, and say what to do") {
  for (const bool compact : {false, true}) {
    CAPTURE(compact);
    Steered steered(compact, {{.crf = std::optional(20.0)}, {.bitrate = Bitrate{1e6, 1e6}}});
    FakeSource source(20);
    steered.run(source);
    REQUIRE(steered.outcomes().size() == 2);
    for (const std::string& outcome : steered.outcomes()) {
      CHECK(outcome.find(compact ? "the stream is lossless" : "the stream is raw") == 0);
      CHECK(outcome.find("start `send` again with --crf") != std::string::npos);
    }
    CHECK(steered.steering().state().changes == 0);
    CHECK_FALSE(steered.steering().state().crf);
  }
}

TEST_CASE("a stream follows pictures of another size") {
  for (const bool compact : {false, true}) {
    CAPTURE(compact);
    Steered steered(compact, {});
    FakeSource source(30);
    source.shrinks_at(11);
    const SendReport report = steered.run(source);
    CHECK(steered.plan().at_once == 1);
    CHECK(steered.came().size() == report.sent.frames);
    CHECK(report.sent.frames + report.dropped == 30);
    for (const auto& frame : steered.came()) CHECK(frame.desc.height == (frame.value < 11 ? kHeight : kHeight / 2));
    CHECK(steered.came().back().desc.height == kHeight / 2);
  }
}

TEST_CASE("a running stream pauses, seeks, and continues there") {
  Steered steered(false, {{.paused = true}, {.seek = 400ms}, {.paused = false}});
  steered.expect_stills();
  FakeSource source(50);
  const SendReport report = steered.run(source);
  CHECK(steered.outcomes() == std::vector<std::string>{"done", "done", "done"});
  std::vector<int> values;
  for (const auto& frame : steered.came()) values.push_back(frame.value);
  const auto count = [&](int value) { return std::ranges::count(values, value); };
  // Four frames, then the fifth or sixth repeatedly, then the one at 400 ms, and from there to the end.
  CHECK(std::ranges::is_sorted(values));
  CHECK((count(4) > 2 || count(5) > 2 || count(6) > 2));
  CHECK(count(30) == 0);
  CHECK(count(40) >= 2);
  CHECK(values.back() == 49);
  CHECK(report.slipped < 200ms);  // pauses do not count as late
}

namespace {

// A plan whose stream is in another format than the others' are, or cannot be encoded.
class Etc2Plan final : public StreamPlan {
 public:
  explicit Etc2Plan(bool fails = false) : fails_(fails) {}
  EncoderChoice choice() const override { return {.format = TextureFormat::etc2}; }
  std::unique_ptr<Encoder> make_encoder(const EncoderChoice& choice, const FrameFormat& source,
                                        EncoderStart start) const override {
    ++made;
    if (fails_) throw Error(ErrorKind::no_device, "the device is gone");
    return plan_.make_encoder(choice, source, start);
  }
  SendSettings settings(const TextureDesc& texture) const override { return plan_.settings(texture); }
  mutable int made = 0;

 private:
  const bool fails_;
  FakePlan plan_{false};
};

// A stream whose variant gets a viewer at the first tick.
struct Varied {
  Varied(FakeSource& source, const Etc2Plan& plan) {
    const auto stream = std::make_shared<test::FakeWebStream>();
    const auto open = [&](const std::string&) { return WebDestination{.stream = stream, .loopback = true}; };
    Destinations variant({"web://"}, {.open_web = open}, true);
    FakeEncoder encoder;
    Destinations nobody({"rtp://127.0.0.1:9"});
    transport::ReceiveSession session;
    const auto take = [&] {
      for (const auto& sent : stream->take_sent()) {
        session.on_datagram(sent.datagram, steady_now(), wall_now());
        while (const auto frame = session.poll(steady_now(), wall_now())) {
          const auto texture = texture_of(frame->stream);
          REQUIRE(texture);
          if (texture->format == TextureFormat::etc2) came.push_back({*texture, std::to_integer<int>(frame->bytes[0])});
        }
      }
    };
    bool has_come = false;
    const auto on_tick = [&](const SendReport&) {
      take();
      if (!std::exchange(has_come, true)) {
        made_before = plan.made;
        stream->join(1, {});
      }
    };
    const VariantPlan variants[] = {{.plan = plan, .destinations = variant}};
    report = send_stream(source, encoder, nobody, plain(100), kNeverStop, on_tick, {}, nullptr, nullptr, {}, variants);
    take();
    ended = stream->ended();
  }
  SendReport report{};
  int made_before = -1;  // encoders, when the viewer came
  std::vector<Steered::Came> came{};
  std::optional<std::string> ended{};
};

}  // namespace

TEST_CASE("a variant is encoded while somebody watches it, and follows pictures of another size") {
  FakeSource source(100);
  source.shrinks_at(20);
  const Etc2Plan plan;
  const Varied varied(source, plan);
  CHECK(varied.report.sent.frames > 0);
  REQUIRE(!varied.came.empty());
  CHECK(varied.made_before == 0);
  CHECK(plan.made >= 1);
  int before = 0;
  for (const auto& frame : varied.came) {
    CHECK(frame.value > before);
    CHECK(frame.desc.height == (frame.value < 20 ? kHeight : kHeight / 2));
    before = frame.value;
  }
}

TEST_CASE("a variant that cannot be encoded says so to its viewers, and the stream goes on") {
  FakeSource source(60);
  const Etc2Plan plan(true);
  const Varied varied(source, plan);
  CHECK(plan.made == 1);
  CHECK(varied.came.empty());
  REQUIRE(varied.ended);
  CHECK(varied.ended->find("the device is gone") != std::string::npos);
  CHECK(varied.report.frames_in == 60);
}

TEST_CASE("pending changes are answered when a stream ends") {
  Steering steering;
  std::vector<std::string> outcomes;
  const auto note = [&](const std::optional<Error>& wrong) { outcomes.emplace_back(wrong ? wrong->what() : "done"); };
  for (size_t i = 0; i <= Steering::kMostWaiting; ++i) steering.change({.paused = true}, note);
  REQUIRE(outcomes.size() == 1);
  CHECK(outcomes[0] == "too many changes wait: ask again when some have been made");
  steering.over();
  steering.change({.paused = true}, note);
  CHECK(outcomes.size() == Steering::kMostWaiting + 2);
  CHECK(outcomes.back() == "the stream is over");
}

TEST_CASE("kinds of destinations are recognised, and others refused") {
  CHECK_THROWS_AS(Destinations({"udp://127.0.0.1:5004"}), Error);
  CHECK_THROWS_AS(Destinations({"127.0.0.1"}), Error);
  CHECK(Destinations({"rtp://127.0.0.1:9"}).all_on_loopback());
  const TemporaryFolder folder;
  const Destinations capture({"pcap:" + (folder.path / "x.pcap").string()});
  CHECK_FALSE(capture.real_time());
}

namespace {

// A stream that goes to browsers only.
struct Broadcast {
  std::shared_ptr<test::FakeWebStream> viewers = std::make_shared<test::FakeWebStream>();
  Destinations destinations;
  explicit Broadcast(bool is_coded)
      : destinations({"web://:8080"},
                     {.open_web = [this](const std::string&) { return WebDestination{.stream = viewers}; }}, true,
                     IfExists::refuse, is_coded) {}
};

constexpr transport::PeerAddress kViewer{.port = 40'000};

}  // namespace

TEST_CASE("frames that nobody watches are not encoded") {
  for (const bool is_coded : {false, true}) {
    CAPTURE(is_coded);
    Broadcast broadcast(is_coded);
    FakeSource source(20);
    FakeEncoder encoder;
    const SendSettings settings{.fps = 100, .compact = {.on = is_coded, .threads = 0}};
    const SendReport report =
        send_stream(source, encoder, broadcast.destinations, settings, kNeverStop, [](const SendReport&) {});
    CHECK(report.frames_in == 20);
    CHECK(report.unwatched == 20);
    CHECK(report.dropped == 0);
    CHECK(report.sent.frames == 0);
    CHECK(encoder.submitted() == 0);
    CHECK(broadcast.viewers->take_sent().empty());
  }
}

TEST_CASE("the first viewer gets a whole picture with the next frame, and the stream goes on until the last has left") {
  for (const bool is_coded : {false, true}) {
    CAPTURE(is_coded);
    Broadcast broadcast(is_coded);
    FakeSource source(INT32_MAX);
    FakeEncoder encoder;
    const SendSettings settings{.fps = 100, .compact = {.on = is_coded, .threads = 0}};
    std::atomic<bool> stop = false;
    enum class Step { unwatched, watched, left } step = Step::unwatched;
    uint64_t unwatched = 0, sent_at_leaving = 0;
    const SteadyTime limit = steady_now() + test::kPatience;
    transport::ReceiveSession session;
    size_t whole = 0;
    const SendReport report =
        send_stream(source, encoder, broadcast.destinations, settings, stop, [&](const SendReport& now) {
          for (const auto& one : broadcast.viewers->take_sent()) {
            session.on_datagram(one.datagram, steady_now(), wall_now());
            while (const auto frame = session.poll(steady_now(), wall_now()))
              whole += frame->concealed_bytes == 0 && frame->payloads_missing == 0;
          }
          if (step == Step::unwatched && now.unwatched > 2) {
            step = Step::watched;
            broadcast.viewers->join(1, kViewer);
          } else if (step == Step::watched && whole > 2) {
            step = Step::left;
            broadcast.viewers->leave(1, kViewer);
            unwatched = now.unwatched;
            sent_at_leaving = now.sent.frames;
          }
          stop = (step == Step::left && now.unwatched > unwatched + 2) || steady_now() > limit;
        });
    CHECK(steady_now() < limit);
    CHECK(whole > 2);
    CHECK(report.sent.frames <= sent_at_leaving + 4);  // those that were under way
    CHECK(report.frames_in == static_cast<uint64_t>(encoder.submitted()) + report.dropped + report.unwatched);
    CHECK(report.sent.tile_requests == (is_coded ? 1 : 0));  // in the viewer's name
  }
}
