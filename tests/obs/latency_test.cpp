// How long a picture takes through the plugin. It measures, and is therefore not run with the others:
//     obs_test -ns -tc='*latency*'
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>

#include "obs_session.h"
#include "pictures.h"
#include "texcast/decoder.h"
#include "texcast/stream_receiver.h"
#include "texcast/stream_sender.h"

using namespace texcast;
using namespace texcast::test;
using namespace std::chrono_literals;

namespace {

using Clock = std::chrono::steady_clock;
constexpr int kPictures = 40;

// Gray of this level: the time code. A level is recognised within 2, after YCbCr and BC1.
constexpr int level_of(int n) { return 20 + 12 * (n % 16); }
Blocks gray(int level) {
  const TextureDesc desc{.format = TextureFormat::rgba8, .width = kCanvasWidth, .height = kCanvasHeight};
  return {.desc = desc, .bytes = std::vector<std::byte>(texture_layout(desc).total_bytes, std::byte(level))};
}
bool shows(const DecodedImage& image, int level) {
  return !image.pixels.empty() && std::abs(image.pixels[image.pixels.size() / 2 + 1] - level) <= 2;
}

struct Times {
  std::vector<double> milliseconds{};
  void add(Clock::time_point begin, Clock::time_point end) {
    milliseconds.push_back(std::chrono::duration<double, std::milli>(end - begin).count());
  }
  std::string text() {
    if (milliseconds.empty()) return "none";
    std::ranges::sort(milliseconds);
    const auto at = [&](double part) {
      return std::to_string(milliseconds[static_cast<size_t>(part * static_cast<double>(milliseconds.size() - 1))]);
    };
    return "median " + at(0.5) + " ms, p95 " + at(0.95) + " ms, of " + std::to_string(milliseconds.size());
  }
};

// The level that the newest frame of a receiver has, with the time at which it came.
class LevelCheck {
 public:
  LevelCheck()
      : receiver_({.listen = "rtp://127.0.0.1:0"}, [this](const ReceivedTexture& received) {
          DecodedImage image;
          decode_texture(received.texture, image);
          const uint8_t level = image.pixels.at(image.pixels.size() / 2 + 1);
          if (std::abs(level - wanted_) <= 2 && !came_) {
            at_ = Clock::now();
            came_ = true;
          }
        }) {}
  std::string address() const { return receiver_.send_to().at(0); }
  void expect(int level) {
    came_ = false;
    wanted_ = level;
  }
  bool came() const { return came_; }
  Clock::time_point at() const { return at_; }

 private:
  std::atomic<int> wanted_ = -100;
  std::atomic<bool> came_ = false;
  Clock::time_point at_{};
  StreamReceiver receiver_;
};

constexpr const char* kPlain = R"(, "format": "bc1", "sound": "none")";

}  // namespace

TEST_CASE("latency of source, filter and output" * doctest::skip()) {
  const ObsSession obs;
  REQUIRE(!obs.skips());
  const std::string address = free_address();
  const Source source = stream_source(address);
  const Program program(source.get());
  LevelCheck by_filter, by_output;
  const Source filter = send_filter(by_filter.address(), kPlain);
  obs_source_filter_add(source.get(), filter.get());
  const Data settings = data_of(send_settings(by_output.address(), kPlain));
  const Output output(obs_output_create("texcast_output", "output", settings.get(), nullptr));
  REQUIRE(obs_output_start(output.get()));

  StreamSender sender({.destinations = {address}, .fps = 100, .compact = false}, gray(0).desc);
  Times shown, filtered, sent;
  for (int n = -5; n < kPictures; ++n) {
    const int level = level_of(n + 16);
    const Blocks blocks = gray(level);
    by_filter.expect(level);
    by_output.expect(level);
    std::this_thread::sleep_for(std::chrono::microseconds(1700 * (n + 5) % 33'000));  // any phase of OBS's frames
    const auto begin = Clock::now();
    REQUIRE(comes_true([&] { return sender.send(blocks.view(), begin.time_since_epoch()); }));
    while (!shows(drawn_by(source.get()), level)) std::this_thread::sleep_for(500us);
    const auto end = Clock::now();
    CHECK(comes_true([&] { return by_filter.came() && by_output.came(); }));
    if (n < 0) continue;
    shown.add(begin, end);
    filtered.add(begin, by_filter.at());
    sent.add(begin, by_output.at());
  }
  MESSAGE("at " << kCanvasFps << " frames a second: shown by the source after " << shown.text());
  MESSAGE("received from the filter after " << filtered.text());
  MESSAGE("received from the output after " << sent.text());
  obs_output_stop(output.get());
  CHECK(comes_true([&] { return !obs_output_active(output.get()); }));
  obs_source_filter_remove(source.get(), filter.get());
}
