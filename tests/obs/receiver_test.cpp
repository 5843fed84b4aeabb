// The receiver of the source, without OBS: the pictures that it makes for the GPU, and when a stream is silent.
#include "receiver.h"

#include <doctest/doctest.h>

#include <algorithm>
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
#include "texcast/decoder.h"
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

// R G B and 255.
std::vector<std::byte> opaque_pixels(const Blocks& blocks) {
  DecodedImage image;
  decode_texture(blocks.view(), image);
  const auto channels = static_cast<size_t>(image.channels);
  std::vector<std::byte> pixels;
  for (size_t at = 0; at < image.pixels.size(); at += channels) {
    for (size_t c = 0; c < 3; ++c) pixels.push_back(std::byte{image.pixels[channels == 1 ? at : at + c]});
    pixels.push_back(std::byte{255});
  }
  return pixels;
}

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

TEST_CASE("pictures in formats that OBS's GPU does not take are decoded, by a device if it can") {
  const Blocks kBlocks[] = {blocks_of(TextureFormat::etc2, 75, 42), blocks_of(TextureFormat::bc4, 33, 21),
                            blocks_of(TextureFormat::ycocg_bc4_420, 75, 42)};
  for (const std::string device : {"pocl", "cpu-reference", "no such device"})
    for (const Blocks& blocks : kBlocks) {
      CAPTURE(device);
      CAPTURE(name(blocks.desc.format));
      const std::string address = free_address();
      obs::Receiver receiver({.stream = {.listen = address}, .device = device}, {TextureFormat::rgba8}, {});
      const StreamFeed feed(address, blocks);
      const auto wanted = opaque_pixels(blocks);
      CHECK(comes_true([&] {
        const auto picture = receiver.take_newest();
        return picture && picture->desc.format == TextureFormat::rgba8 && !picture->has_alpha &&
               std::ranges::equal(picture->blocks, wanted);
      }));
    }
}
