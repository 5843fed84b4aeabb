// The receiver of the source, without OBS: the pictures that it makes for the GPU, and when a stream is silent.
#include "receiver.h"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "../comes_true.h"
#include "messages.h"
#include "pictures.h"
#include "stream_feed.h"
#include "texcast/error.h"

using namespace texcast;
using namespace texcast::test;
using namespace std::chrono_literals;

// In place of the functions of the plugin that need OBS.
namespace texcast::obs {
void say(LogLevel /*level*/, const std::string& /*line*/) {}
const char* text(const char* key) { return key; }
std::optional<TextureFormat> transcoding_target(TextureFormat /*from*/, const FormatSet& /*shown*/) { return {}; }
}  // namespace texcast::obs

namespace {

// A picture and sound again and again, on a thread of its own.
class FeedWithSound {
 public:
  explicit FeedWithSound(const std::string& address)
      : blocks_(blocks_of(TextureFormat::bc1, 64, 32)),
        sender_({.destinations = {address}, .fps = 100, .sound = SoundFormat{.sample_rate = 48000, .channels = 1}},
                blocks_.desc),
        thread_([this] { feed(); }) {}
  ~FeedWithSound() {
    stop_ = true;
    thread_.join();
  }
  FeedWithSound(const FeedWithSound&) = delete;
  FeedWithSound& operator=(const FeedWithSound&) = delete;

 private:
  void feed() {
    const std::vector<float> samples(480);
    for (int64_t n = 1; !stop_; ++n) {
      sender_.send(blocks_.view(), n * 10ms);
      sender_.send_sound(samples, n * 10ms);
      std::this_thread::sleep_for(10ms);
    }
  }

  const Blocks blocks_;
  StreamSender sender_;
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

}  // namespace

TEST_CASE("a receiver that was opened again after a failure is silent while nothing arrives") {
  std::atomic<bool> fails = false, is_over = false;
  std::atomic<int> heard = 0, failures = 0;
  const std::string address = free_address();
  const obs::Receiver receiver({.stream = {.listen = address}}, {TextureFormat::bc1}, [&](const ReceivedSound&) {
    ++heard;
    if (!fails) return;
    ++failures;
    CHECK(comes_true([&] { return is_over.load(); }));
    throw Error(ErrorKind::failed, "the sound broke off");
  });
  CHECK(!receiver.silent_for(0s));  // nothing has arrived yet
  {
    const FeedWithSound feed(address);
    CHECK(comes_true([&] { return heard > 0 && receiver.status().find("Status.From") != std::string::npos; }));
    fails = true;
    CHECK(comes_true([&] { return failures > 0; }));
  }
  is_over = true;
  CHECK(comes_true([&] { return receiver.status().starts_with("Status.Waiting"); }));  // it is open again
  CHECK(comes_true([&] { return receiver.silent_for(500ms); }));
}
