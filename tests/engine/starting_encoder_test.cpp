// The switch from the CPU to a device while frames are encoded: each frame comes out once, in order, with the same
// bytes.
#include "starting_encoder.h"

#include <doctest/doctest.h>

#include <atomic>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <mutex>
#include <optional>
#include <random>
#include <thread>
#include <vector>

#include "pictures.h"
#include "texcast/error.h"
#include "tiny.h"

using namespace texcast;
using test::blocks_of;
using test::Picture;

namespace {

Picture picture_number(const FrameFormat& format, unsigned number) {
  Picture picture{.format = format};
  std::minstd_rand random(number + 1);
  for (size_t i = 0; i < picture.bytes.size(); ++i)
    picture.bytes[i] = static_cast<std::byte>((i * number + random() % 32) & 0xFF);
  return picture;
}

// Calls that the fakes have received.
struct Seen {
  std::atomic<int> submitted = 0, warmed = 0, alive = 0;
  std::atomic<bool> tells = false;   // a progress callback is set for the last device
  std::atomic<bool> encodes = true;  // false: the blocks are empty
};

// A fake device: encodes a frame when its result is taken, and reports no progress by itself.
class FakeDevice : public Encoder {
 public:
  FakeDevice(const EncoderSettings& settings, Seen& seen, int bands = 1)
      : settings_(settings), seen_(seen), bands_(bands) {
    ++seen_.alive;
  }
  ~FakeDevice() override { --seen_.alive; }
  void submit(const FrameView& frame, const FrameTimes& times) override {
    REQUIRE(in_flight() < capacity());
    REQUIRE(frame.format == settings_.source);
    ++seen_.submitted;
    std::vector<std::byte> blocks(texture_layout(texture_desc()).total_bytes);
    if (seen_.encodes) ref::encode(frame, settings_.texture, method_of(settings_), blocks, settings_.options);
    frames_.push_back({std::move(blocks), times});
  }
  EncodedFrame next() override {
    REQUIRE(!frames_.empty());
    given_ = std::move(frames_.front());
    frames_.pop_front();
    return {{texture_desc(), given_.blocks}, given_.times};
  }
  bool ready() const override { return !frames_.empty(); }
  size_t ready_bytes() override { return frames_.empty() ? 0 : frames_.front().blocks.size(); }
  EncodedFrame peek() override { return {{texture_desc(), frames_.front().blocks}, frames_.front().times}; }
  void on_progress(std::function<void()> call) override { seen_.tells = static_cast<bool>(call); }
  int bands() const override { return bands_; }
  int in_flight() const override { return static_cast<int>(frames_.size()); }
  int capacity() const override { return settings_.frames_in_flight; }
  TextureDesc texture_desc() const override { return ::texcast::texture_desc(settings_); }
  void warm_up() override { ++seen_.warmed; }
  StageTimes last_stage_times() const override { return {.kernel = nanoseconds(7)}; }
  std::string device_name() const override { return "fake"; }

 private:
  struct Frame {
    std::vector<std::byte> blocks;
    FrameTimes times;
  };
  EncoderSettings settings_;
  Seen& seen_;
  int bands_;
  std::deque<Frame> frames_;
  Frame given_;
};

// Builds better encoders, each only when let_go() allows it.
class Compiler {
 public:
  // Allows one more result.
  void let_go() {
    {
      const std::lock_guard lock(mutex_);
      ++allowed_;
    }
    changed_.notify_all();
  }
  // Waits until `n` results have been offered, and the encoder's thread has come back for another.
  void wait_until_offered(int n) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return asked_ > n; });
  }
  // Called by the encoder's thread each time that it asks. False: it must stop.
  void asked() {
    {
      const std::lock_guard lock(mutex_);
      ++asked_;
    }
    changed_.notify_all();
  }
  bool wait_for_permission(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    return changed_.wait(lock, stop, [this] { return allowed_ >= asked_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable_any changed_;
  int allowed_ = 0, asked_ = 0;
};

struct Setting {
  EncoderSettings settings;
  std::shared_ptr<FramePool> pool;
  Seen seen;
  Compiler compiler;
  int devices = 1;
  bool can_be_stopped = true;
  std::string fails{};  // thrown instead of the last result
  int steps_back = 0;
  explicit Setting(const EncoderSettings& of) : settings(of), pool(FramePool::create(of.source, 24)) {}

  std::unique_ptr<Encoder> device(int number) {
    std::vector<std::unique_ptr<Encoder>> all;
    std::vector<std::string> names;
    for (int i = 0; i < devices; ++i) {
      all.push_back(std::make_unique<FakeDevice>(settings, seen, number + 1));
      names.push_back("fake");
    }
    return devices == 1 ? std::move(all.front()) : make_dealing_encoder(std::move(all), std::move(names));
  }
  // An encoder that begins with the CPU, or with a device, and then gets `results` devices, one after the other.
  std::unique_ptr<Encoder> encoder(int results, bool begins_with_device = false) {
    Beginning beginning{.pool = pool, .devices = devices, .bands = 16, .device_name = "fake"};
    beginning.compilers_step_back = [this] { ++steps_back; };
    if (begins_with_device) beginning.encoder = device(0);
    return make_starting_encoder(
        settings, std::move(beginning), [this, results, number = 0](const std::stop_token& stop) mutable {
          compiler.asked();
          const bool goes_on =
              number++ < results && compiler.wait_for_permission(can_be_stopped ? stop : std::stop_token());
          if (goes_on && number == results && !fails.empty()) throw Error(ErrorKind::no_device, fails);
          return goes_on ? device(number) : nullptr;
        });
  }
  void change(int number = 1) {
    compiler.let_go();
    compiler.wait_until_offered(number);
  }
};

// Submits frames, takes results, and compares each with the reference.
class Frames {
 public:
  Frames(Encoder& encoder, const EncoderSettings& settings) : encoder_(encoder), settings_(settings) {}
  void submit(bool from_pool = false) {
    const auto number = static_cast<unsigned>(submitted_);
    Picture picture = picture_number(settings_.source, number);
    const FrameTimes times{.pts = nanoseconds(submitted_)};
    if (const auto pool = encoder_.frame_pool(); from_pool && pool) {
      const FrameLease lease = pool->lend();
      REQUIRE(lease);
      std::memcpy(lease.data(), picture.bytes.data(), picture.bytes.size());
      encoder_.submit(lease.view(), times);
    } else {
      encoder_.submit(picture.view(), times);
      std::fill(picture.bytes.begin(), picture.bytes.end(), std::byte{0x55});  // the memory is ours again
    }
    ++submitted_;
  }
  void take() {
    const EncodedFrame frame = encoder_.next();
    CHECK(frame.times.pts == nanoseconds(taken_));
    const auto want = blocks_of(settings_, picture_number(settings_.source, static_cast<unsigned>(taken_)));
    CHECK(std::equal(frame.texture.blocks.begin(), frame.texture.blocks.end(), want.begin(), want.end()));
    ++taken_;
  }
  void take_all() {
    while (encoder_.in_flight() > 0) take();
    CHECK(taken_ == submitted_);
  }
  int submitted() const { return submitted_; }

 private:
  Encoder& encoder_;
  EncoderSettings settings_;
  int submitted_ = 0, taken_ = 0;
};

const FrameFormat kSmall{PixelFormat::nv12, 37, 21, {}};

}  // namespace

TEST_CASE("frames before and after the switch have the reference's bytes, in every format and quality") {
  const int width = test::tiny_only() ? 9 : 19, height = test::tiny_only() ? 5 : 13;
  for (const TextureFormat texture : encoded_formats())
    for (const Quality quality : kQualities) {
      if (!has_quality(texture, quality)) continue;
      CAPTURE(name(texture));
      CAPTURE(name(quality));
      for (const PixelFormat pixels : {PixelFormat::nv12, PixelFormat::rgba}) {
        Setting setting({.source = {pixels, width, height, {}}, .texture = texture, .quality = quality});
        const auto encoder = setting.encoder(1);
        Frames frames(*encoder, setting.settings);
        frames.submit();
        frames.submit(true);
        frames.take();
        setting.change();
        frames.submit();
        frames.take_all();
        frames.submit(true);
        frames.take_all();
        CHECK(setting.seen.submitted >= 2);
        CHECK(setting.seen.warmed == 1);
      }
    }
}

TEST_CASE("the switch may come before any frame: none is lost, and they come in order") {
  constexpr int kFrames = 12;
  for (const bool from_pool : {false, true})
    for (int k = 0; k <= kFrames; ++k) {
      CAPTURE(k);
      Setting setting({.source = kSmall});
      const auto encoder = setting.encoder(2);
      Frames frames(*encoder, setting.settings);
      for (int i = 0; i < kFrames; ++i) {
        if (encoder->in_flight() == encoder->capacity()) frames.take();
        if (i == k) setting.change(1);
        if (i == k + 3) setting.change(2);
        frames.submit(from_pool);
        if (i >= k + 4) CHECK(encoder->bands() == 3);  // the second device's number of bands
      }
      frames.take_all();
      CHECK(setting.seen.alive <= 1 + (k + 3 >= kFrames));
      CHECK(setting.pool->lent() == 0);
    }
}

TEST_CASE("frames that the CPU has not finished at the switch are encoded by the device") {
  Setting setting({.source = {PixelFormat::rgba, 2048, 2048, {}}, .quality = Quality::best});  // many seconds of work
  const auto encoder = setting.encoder(1);
  const Picture picture = picture_number(setting.settings.source, 5);
  setting.seen.encodes = false;
  for (int i = 0; i < 3; ++i) encoder->submit(picture.view(), {.pts = nanoseconds(i)});
  CHECK_FALSE(encoder->ready());
  SUBCASE("found by the frames' thread") { setting.change(); }
  SUBCASE("while a thread waits for a frame") { setting.compiler.let_go(); }
  for (int i = 0; i < 3; ++i) CHECK(encoder->next().times.pts == nanoseconds(i));
  CHECK(setting.seen.submitted == 3);
}

TEST_CASE("an encoder that begins with a device switches to a better one between frames") {
  Setting setting({.source = kSmall});
  const auto encoder = setting.encoder(1, true);
  Frames frames(*encoder, setting.settings);
  encoder->warm_up();
  CHECK(setting.seen.warmed == 1);
  for (int i = 0; i < 3; ++i) frames.submit();
  setting.change();
  frames.submit();
  CHECK(encoder->in_flight() == 4);
  CHECK(setting.seen.alive == 2);
  frames.take_all();
  frames.submit();
  frames.take();
  CHECK(setting.seen.alive == 1);  // the first device has delivered all its frames
  CHECK(setting.seen.submitted == 5);
}

TEST_CASE("several devices take over together, and frames are distributed to them in order") {
  Setting setting({.source = kSmall, .frames_in_flight = 2});
  setting.devices = 3;
  const auto encoder = setting.encoder(1);
  CHECK(encoder->devices() == 3);
  CHECK(encoder->capacity() == 6);
  Frames frames(*encoder, setting.settings);
  for (int i = 0; i < 6; ++i) frames.submit();
  setting.change();
  frames.take();
  for (int i = 0; i < 20; ++i) {
    if (encoder->in_flight() == encoder->capacity()) frames.take();
    frames.submit();
  }
  frames.take_all();
}

TEST_CASE("a failed build is thrown by the next call, not ignored") {
  Setting setting({.source = kSmall});
  setting.fails = "the kernels do not build: bc1/range.cl:3:10";
  const auto says = [&](auto&& call) {
    try {
      call();
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::no_device);
      return std::string(error.what());
    }
    return std::string("nothing");
  };
  SUBCASE("submit, ready_bytes and next, each time") {
    const auto encoder = setting.encoder(1);
    Frames frames(*encoder, setting.settings);
    frames.submit();
    setting.compiler.let_go();
    while (says([&] { encoder->ready_bytes(); }) == "nothing") std::this_thread::yield();
    CHECK(says([&] { frames.submit(); }) == setting.fails);
    CHECK(says([&] { encoder->next(); }) == setting.fails);
    CHECK(says([&] { encoder->ready_bytes(); }) == setting.fails);
  }
  SUBCASE("also to a thread that waits for a frame") {
    setting.settings.source = {PixelFormat::rgba, 2048, 2048, {}};
    setting.settings.quality = Quality::best;
    setting.pool = FramePool::create(setting.settings.source, 4);
    const auto encoder = setting.encoder(1);
    encoder->submit(picture_number(setting.settings.source, 1).view(), {});
    setting.compiler.let_go();
    CHECK(says([&] { encoder->next(); }) == setting.fails);
  }
}

TEST_CASE("the progress callback is called for the CPU's frames, for the switch, and for the device's frames") {
  Setting setting({.source = kSmall});
  const auto encoder = setting.encoder(1);
  std::mutex mutex;
  std::condition_variable changed;
  int told = 0;
  const auto wait_for = [&](int least) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return told >= least; });
    return told;
  };
  encoder->on_progress([&] {
    const std::lock_guard lock(mutex);
    ++told;
    changed.notify_all();
  });
  Frames frames(*encoder, setting.settings);
  frames.submit();
  const int before = wait_for(1);
  CHECK(encoder->ready());
  CHECK(encoder->ready_bytes() == encoder->peek().texture.blocks.size());
  const std::byte* memory = encoder->peek().texture.blocks.data();
  CHECK(encoder->bands() == 16);  // as planned
  setting.compiler.let_go();
  wait_for(before + 1);  // although nobody calls the encoder
  setting.compiler.wait_until_offered(1);
  CHECK(encoder->peek().texture.blocks.data() == memory);
  frames.submit();
  CHECK(setting.seen.tells);
  CHECK(encoder->bands() == 2);
  CHECK(encoder->next().texture.blocks.data() == memory);
  encoder->on_progress({});
  CHECK_FALSE(setting.seen.tells);
}

TEST_CASE("a caller that waits for the device learns when it is ready, and that it will not come") {
  Setting setting({.source = kSmall});
  SUBCASE("a device") {}
  SUBCASE("none, as the kernels do not build") { setting.fails = "the kernels do not build"; }
  const auto encoder = setting.encoder(1);
  CHECK_FALSE(encoder->preparation().is_over);
  CHECK(encoder->preparation().begun <= steady_now());
  CHECK(setting.steps_back == 0);
  encoder->compile_at_low_priority();
  CHECK(setting.steps_back == 1);
  std::mutex mutex;
  std::condition_variable changed;
  bool told = false;
  encoder->on_progress([&] {
    const std::lock_guard lock(mutex);
    told = true;
    changed.notify_all();
  });
  setting.compiler.let_go();
  {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return told; });
  }
  CHECK(encoder->preparation().is_over);
  encoder->on_progress({});
}

TEST_CASE("an encoder that begins with a device needs no waiting") {
  Setting setting({.source = kSmall});
  CHECK(setting.encoder(1, true)->preparation().is_over);
}

TEST_CASE("an encoder that is destroyed while the compiler works waits for it, and finishes its frames") {
  Setting setting({.source = kSmall});
  setting.can_be_stopped = false;
  auto encoder = setting.encoder(2);
  Frames frames(*encoder, setting.settings);
  for (int i = 0; i < 3; ++i) frames.submit(true);
  frames.take();
  std::atomic<bool> ended = false;
  std::thread ends([&] {
    encoder.reset();
    ended = true;
  });
  while (setting.pool->lent() > 0) std::this_thread::yield();  // nothing is encoded any more
  CHECK_FALSE(ended);
  setting.compiler.let_go();  // the first result
  setting.compiler.let_go();
  ends.join();
  CHECK(setting.seen.warmed == 2);
  CHECK(setting.seen.alive == 0);
}

TEST_CASE("an encoder that is destroyed while the compiler can be stopped does not wait") {
  Setting setting({.source = kSmall});
  setting.encoder(1).reset();
  CHECK(setting.seen.alive == 0);
  CHECK(setting.seen.warmed == 0);
}
