// A stream over loopback between the library's sender and receiver.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "../patience.h"
#include "../times.h"
#include "slow_stream.h"
#include "texcast/stream.h"

using namespace texcast;
using namespace std::chrono_literals;

namespace {

const TextureDesc kTexture{.format = TextureFormat::bc1, .width = 64, .height = 64};

std::vector<std::byte> blocks_of(int n, const TextureDesc& texture = kTexture) {
  std::vector<std::byte> blocks(texture_layout(texture).total_bytes);
  for (size_t i = 0; i < blocks.size(); ++i)
    blocks[i] = static_cast<std::byte>((i * 31 + static_cast<size_t>(n) * 7) & 0xFF);
  return blocks;
}

template <typename Done>
void wait_for(Done&& done) {
  for (const SteadyTime limit = steady_now() + test::kPatience; !done() && steady_now() < limit;)
    std::this_thread::sleep_for(2ms);
}

}  // namespace

namespace {

void check_blocks_arrive(const TextureDesc& texture) {
  struct Kept {
    std::shared_ptr<const void> memory;
    std::span<const std::byte> blocks;
    nanoseconds pts;
  };
  std::mutex mutex;
  std::vector<Kept> kept;
  std::atomic<size_t> frames = 0;
  StreamReceiver receiver({.listen = "rtp://127.0.0.1:0", .textures_kept = 8}, [&](const ReceivedTexture& received) {
    const std::lock_guard lock(mutex);
    CHECK(received.texture.desc.width == 64);
    CHECK(received.texture.desc.format == texture.format);
    CHECK(received.fps == doctest::Approx(kSlowFps));
    CHECK(received.new_stream == kept.empty());
    kept.push_back({received.keep(), received.texture.blocks, received.times.pts});
    ++frames;
  });
  StreamSender sender(slow_stream({.destinations = {receiver.send_to().at(0)}}), texture);
  for (int n = 0; n < 5; ++n) {
    const auto blocks = blocks_of(n, texture);
    wait_for([&] { return sender.send({texture, blocks}, n * 20ms); });
    wait_for([&] { return frames > static_cast<size_t>(n); });
  }
  CHECK(sender.finish(test::kPatience));
  receiver.stop();
  REQUIRE(kept.size() == 5);
  for (int n = 0; n < 5; ++n) {
    CHECK(std::ranges::equal(kept[static_cast<size_t>(n)].blocks, blocks_of(n, texture)));
    CHECK(kept[static_cast<size_t>(n)].pts - kept[0].pts == n * 20ms);
  }
  CHECK(sender.status().frames == 5);
  CHECK(receiver.status().frames == 5);
  CHECK(receiver.status().packets_lost == 0);
  CHECK(receiver.status().sender.starts_with("127.0.0.1:"));
}

}  // namespace

TEST_CASE("a program's blocks arrive unchanged, with their times, and can be kept") {
  for (const TextureFormat format : {TextureFormat::bc1, TextureFormat::bc7, TextureFormat::etc2_alpha}) {
    CAPTURE(name(format));
    check_blocks_arrive({.format = format, .width = 64, .height = 64});
  }
}

TEST_CASE("frames that a program draws into the sender's pool arrive encrypted, and encoded") {
  const FrameFormat format{.pixel_format = PixelFormat::gray, .width = 64, .height = 64};
  std::atomic<int> whole = 0;
  StreamReceiver receiver({.listen = "rtp://127.0.0.1:0", .passphrase = "of the test"},
                          [&](const ReceivedTexture& received) {
                            CHECK(received.concealed_blocks == 0);
                            ++whole;
                          });
  StreamSender sender(slow_stream({.destinations = {receiver.send_to().at(0)}, .passphrase = "of the test"}),
                      EncoderSettings{.source = format, .device = "cpu-reference"});
  CHECK(sender.device_name() == "cpu-reference");
  const auto pool = sender.frame_pool();
  for (int n = 0; n < 3; ++n) {
    FrameLease frame = pool ? pool->lend() : FrameLease();
    std::vector<std::byte> own(64 * 64, std::byte{0x80});
    FrameView view{.format = format};
    view.planes[0] = {.data = own.data(), .stride_bytes = 64};
    if (frame) {
      std::fill_n(frame.plane(0), static_cast<size_t>(pool->placement().stride[0]) * 64, std::byte{0x80});
      view = frame.view();
    }
    wait_for([&] { return sender.send(view, n * 17ms); });
    wait_for([&] { return whole > n; });
  }
  CHECK(sender.finish(test::kPatience));
  receiver.stop();
  CHECK(whole == 3);
}

TEST_CASE("a still picture costs one packet per frame; with the raw stream it costs the whole picture") {
  const FrameFormat format{.pixel_format = PixelFormat::gray, .width = 256, .height = 256};
  const TextureDesc desc{.format = TextureFormat::bc1, .width = 256, .height = 256};
  const size_t texture_bytes = 256 * 256 / 2;
  std::vector<std::byte> noise(texture_bytes * 2);
  uint32_t state = 1;
  for (std::byte& b : noise) b = static_cast<std::byte>((state = state * 1664525 + 1013904223) >> 24);
  FrameView frame{.format = format};
  frame.planes[0] = {.data = noise.data(), .stride_bytes = 256};
  for (const bool compact : {true, false}) {
    for (const bool frames : {true, false}) {
      CAPTURE(compact);
      CAPTURE(frames);
      std::atomic<int> came = 0;
      StreamReceiver receiver({.listen = "rtp://127.0.0.1:0"}, [&](const ReceivedTexture& received) {
        CHECK(received.concealed_blocks == 0);
        if (!frames) CHECK(std::ranges::equal(received.texture.blocks, std::span(noise).first(texture_bytes)));
        ++came;
      });
      const StreamSenderSettings settings = slow_stream(
          {.destinations = {receiver.send_to().at(0)}, .fec = "none", .compact = compact, .retransmit = false});
      std::optional<StreamSender> sender;
      if (frames)
        sender.emplace(settings, EncoderSettings{.source = format, .device = "cpu-reference"});
      else
        sender.emplace(settings, desc);
      uint64_t of_first = 0;
      for (int n = 0; n < 6; ++n) {
        wait_for([&] {
          return frames ? sender->send(frame, n * 17ms)
                        : sender->send({desc, std::span(noise).first(texture_bytes)}, n * 17ms);
        });
        wait_for([&] { return came > n; });
        wait_for([&] { return sender->status().frames > static_cast<uint64_t>(n); });
        if (n == 0) of_first = sender->status().bytes;
      }
      CHECK(sender->finish(test::kPatience));
      receiver.stop();
      CHECK(came == 6);
      const uint64_t later = (sender->status().bytes - of_first) / 5;
      CHECK(of_first > texture_bytes / 2);
      CHECK((compact ? later < 200 : later > texture_bytes));
    }
  }
}

TEST_CASE("a lossy stream takes a fraction of the bytes, and the received picture approximates the one sent") {
  const FrameFormat format{.pixel_format = PixelFormat::rgb24, .width = 256, .height = 128, .color = kFullRange};
  // Waves with a little noise, which move by a pixel and a half per frame.
  const auto picture_of = [](int n) {
    DecodedImage image;
    image.resize(256, 128, 3);
    uint32_t state = static_cast<uint32_t>(n) + 1;
    for (size_t i = 0; i < image.pixels.size(); ++i) {
      const int x = static_cast<int>(i / 3 % 256), y = static_cast<int>(i / 3 / 256);
      state = state * 1664525 + 1013904223;
      const double wave = std::sin((x + 1.5 * n) / 9.0) * std::cos(y / 7.0 + static_cast<double>(i % 3));
      image.pixels[i] = static_cast<uint8_t>(128 + 90 * wave + static_cast<double>(state >> 30));
    }
    return image;
  };
  uint64_t lossless = 0;
  struct Loss {
    std::optional<double> crf{};
    double bitrate = 0;
    TransformCoding transform = TransformCoding::automatic;
  };
  for (const Loss& loss : {Loss{}, Loss{.crf = 24, .transform = TransformCoding::off},
                           Loss{.crf = 24, .transform = TransformCoding::on}, Loss{.bitrate = 6e6}}) {
    CAPTURE(loss.bitrate);
    std::atomic<int> came = 0;
    DecodedImage shown;
    StreamReceiver receiver({.listen = "rtp://127.0.0.1:0"}, [&](const ReceivedTexture& received) {
      CHECK(received.concealed_blocks == 0);
      decode_texture(received.texture, shown);
      ++came;
    });
    StreamSender sender(
        slow_stream({.destinations = {receiver.send_to().at(0)},
                     .fec = "none",
                     .crf = loss.crf,
                     .bitrate = loss.bitrate,
                     .transform = loss.transform,
                     .retransmit = false}),
        EncoderSettings{.source = format, .texture = TextureFormat::ycocg_bc4_444, .device = "cpu-reference"});
    DecodedImage image;
    const auto send = [&](int n) {
      FrameView frame{.format = format};
      frame.planes[0] = {reinterpret_cast<const std::byte*>(image.pixels.data()), 3 * 256};
      wait_for([&] { return sender.send(frame, n * 17ms); });
      wait_for([&] { return came > n; });
      REQUIRE(came == n + 1);
    };
    for (int n = 0; n < 6; ++n) {
      image = picture_of(n);
      send(n);
    }
    const uint64_t bytes = sender.status().bytes;
    const auto psnr = [&] {
      PsnrMeter meter;
      meter.add(image, shown);
      return meter.psnr_db();
    };
    // On a slow CPU some tiles had no time, and come with one of the next frames.
    for (int n = 6; n < 60 && psnr() < 35; ++n) send(n);
    CHECK(psnr() > 35);
    CHECK(sender.finish(test::kPatience));
    receiver.stop();
    const bool is_lossy = loss.crf || loss.bitrate > 0;
    if (!is_lossy) lossless = bytes;
    if (is_lossy) CHECK(bytes * 2 < lossless);
    const StreamSenderStatus status = sender.status();
    CHECK(status.crf.has_value() == is_lossy);
    CHECK(status.bits_per_s.value_or(0) == loss.bitrate);
  }
}

TEST_CASE("a receiver without the passphrase sees nothing, and says why") {
  StreamReceiver receiver({.listen = "rtp://127.0.0.1:0"}, [](const ReceivedTexture&) { FAIL_CHECK("a frame came"); });
  StreamSender sender({.destinations = {receiver.send_to().at(0)}, .passphrase = "secret"}, kTexture);
  const auto blocks = blocks_of(0);
  wait_for([&] {
    sender.send({kTexture, blocks}, 0ns);
    return receiver.status().packets_refused > 0;
  });
  CHECK(receiver.status().refusal == StreamRefusal::no_passphrase);
}

TEST_CASE("an exception of the callback ends reception, and stop() throws it once") {
  StreamReceiver receiver({.listen = "rtp://127.0.0.1:0"},
                          [](const ReceivedTexture&) { throw Error(ErrorKind::failed, "of the program's own"); });
  StreamSender sender({.destinations = {receiver.send_to().at(0)}}, kTexture);
  const auto blocks = blocks_of(0);
  wait_for([&] {
    sender.send({kTexture, blocks}, 0ns);
    return receiver.ended();
  });
  CHECK_THROWS_WITH_AS(receiver.stop(), "of the program's own", Error);
  receiver.stop();
}

TEST_CASE("a receiver can be destroyed by its callback, which is then the last call") {
  // Shared by callback and test, as the callback may outlive the test.
  struct Shared {
    std::mutex made;
    std::optional<StreamReceiver> receiver{};
    std::atomic<int> calls = 0;
  };
  const auto shared = std::make_shared<Shared>();
  std::string url;
  {
    const std::lock_guard lock(shared->made);  // the callback waits until the receiver exists
    shared->receiver.emplace(StreamReceiverSettings{.listen = "rtp://127.0.0.1:0"}, [shared](const ReceivedTexture&) {
      const std::lock_guard lock(shared->made);
      shared->receiver.reset();
      ++shared->calls;
    });
    url = shared->receiver->send_to().at(0);
  }
  StreamSender sender({.destinations = {url}}, kTexture);
  const auto blocks = blocks_of(0);
  wait_for([&] {
    sender.send({kTexture, blocks}, 0ns);
    return shared->calls > 0;
  });
  for (int n = 0; n < 10; ++n) {
    sender.send({kTexture, blocks}, 0ns);
    std::this_thread::sleep_for(2ms);
  }
  CHECK(shared->calls == 1);
}
