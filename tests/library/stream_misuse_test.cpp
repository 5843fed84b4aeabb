// Every call of sender and receiver that its header forbids throws an error, and the object works afterwards.
#include <doctest/doctest.h>

#include <cmath>
#include <thread>
#include <utility>
#include <vector>

#include "../patience.h"
#include "../times.h"
#include "check_error.h"
#include "texcast/stream.h"

using namespace texcast;
using texcast::test::check_misuse;
using namespace std::chrono_literals;

namespace {

const TextureDesc kSmall{.format = TextureFormat::bc1, .width = 16, .height = 16};
const std::vector<std::byte> kSmallBlocks(16 * 8);
const std::vector<std::string> kNobody{"rtp://127.0.0.1:9"};  // the discard port
const std::string kNameOfNobody = "a name that nobody has";   // a search for it takes seconds and fails

ErrorKind kind_of(auto&& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.kind();
  }
  FAIL_CHECK("nothing was thrown");
  return {};
}

}  // namespace

TEST_CASE("settings that no sender could have are misuse") {
  for (const auto change : std::initializer_list<void (*)(StreamSenderSettings&)>{
           [](StreamSenderSettings& s) { s.destinations.clear(); },
           [](StreamSenderSettings& s) { s.fps = 0; },
           [](StreamSenderSettings& s) { s.fps = -1; },
           [](StreamSenderSettings& s) { s.fps = std::nan(""); },
           [](StreamSenderSettings& s) { s.mtu = 12; },
           [](StreamSenderSettings& s) { s.mtu = 1 << 20; },
           [](StreamSenderSettings& s) { s.spread = 1.5; },
           [](StreamSenderSettings& s) { s.max_bits_per_s = -5; },
           [](StreamSenderSettings& s) { s.multicast_ttl = 256; },
           [](StreamSenderSettings& s) { s.refresh_seconds = -1; },
           [](StreamSenderSettings& s) { s.refresh_seconds = std::nan(""); },
           [](StreamSenderSettings& s) { s.crf = 52; },
           [](StreamSenderSettings& s) { s.crf = std::nan(""); },
           [](StreamSenderSettings& s) {
             s.crf = 20;
             s.compact = false;
           },
           [](StreamSenderSettings& s) { s.transform = TransformCoding::on; },
           [](StreamSenderSettings& s) { s.bitrate = -1; },
           [](StreamSenderSettings& s) { s.bitrate = std::nan(""); },
           [](StreamSenderSettings& s) { s.least_bitrate = 1e6; },
           [](StreamSenderSettings& s) {
             s.bitrate = 1e6;
             s.least_bitrate = 2e6;
           },
           [](StreamSenderSettings& s) {
             s.bitrate = 1e6;
             s.compact = false;
           },
           [](StreamSenderSettings& s) { s.passphrase = std::string(2000, 'x'); },
       }) {
    StreamSenderSettings wrong{.destinations = kNobody};
    change(wrong);
    check_misuse([&] { StreamSender(wrong, kSmall); });
  }
  check_misuse([] {
    StreamSender({.destinations = kNobody},
                 TextureDesc{.format = static_cast<TextureFormat>(77), .width = 4, .height = 4});
  });
  check_misuse([] { StreamSender({.destinations = kNobody}, TextureDesc{.width = 0, .height = 4}); });
  check_misuse([] { StreamSender({.destinations = kNobody}, EncoderSettings{.source = {.width = 0}}); });
}

TEST_CASE("settings of a sender that cannot be used say what is wrong") {
  CHECK(kind_of([] { StreamSender({.destinations = {"udp://127.0.0.1:9"}}, kSmall); }) == ErrorKind::usage);
  CHECK(kind_of([] {
          StreamSender({.destinations = kNobody, .crf = 20},
                       TextureDesc{.format = TextureFormat::ycocg_dxt5, .width = 64, .height = 64});
        }) == ErrorKind::usage);
  CHECK(kind_of([] {
          StreamSender({.destinations = kNobody, .crf = 20, .transform = TransformCoding::on},
                       TextureDesc{.format = TextureFormat::bc1, .width = 64, .height = 64});
        }) == ErrorKind::usage);
  CHECK(kind_of([] { StreamSender({.destinations = kNobody, .bitrate = 1e5}, kSmall); }) == ErrorKind::usage);
  CHECK(kind_of([] { StreamSender({.destinations = {"rtp://"}}, kSmall); }) == ErrorKind::usage);
  CHECK(kind_of([] { StreamSender({.destinations = kNobody, .fec = "a lot"}, kSmall); }) == ErrorKind::usage);
  CHECK(kind_of([] { StreamSender({.destinations = {"rtp://no.such.host.invalid"}}, kSmall); }) == ErrorKind::network);
}

TEST_CASE("wrong settings are reported before a name is searched for") {
  const auto sender_with = [](auto change) {
    StreamSenderSettings wrong{.destinations = {kNameOfNobody}};
    change(wrong);
    StreamSender(wrong, kSmall);
  };
  check_misuse([&] { sender_with([](auto& s) { s.mtu = 12; }); });
  check_misuse([&] { sender_with([](auto& s) { s.crf = 52; }); });
  check_misuse([&] { sender_with([](auto& s) { s.name = std::string(64, 'x'); }); });
  CHECK(kind_of([&] { sender_with([](auto& s) { s.fec = "a lot"; }); }) == ErrorKind::usage);
  CHECK(kind_of([&] { sender_with([](auto& s) { s.destinations.push_back("udp://127.0.0.1:9"); }); }) ==
        ErrorKind::usage);

  const auto receiver_with = [](auto change) {
    StreamReceiverSettings wrong{.listen = kNameOfNobody};
    change(wrong);
    StreamReceiver(wrong, [](const ReceivedTexture&) {});
  };
  check_misuse([&] { receiver_with([](auto& s) { s.max_width = 64; }); });
  CHECK(kind_of([&] { receiver_with([](auto& s) { s.cipher = "rot13"; }); }) == ErrorKind::usage);
}

TEST_CASE("misuse of a sender is an error, and the sender goes on") {
  StreamSender sender({.destinations = kNobody}, kSmall);
  FrameView frame{.format = {.pixel_format = PixelFormat::gray, .width = 16, .height = 16}};
  check_misuse([&] { sender.send(frame, 0ns); });
  check_misuse([&] { sender.send(TextureView{kSmall, std::span(kSmallBlocks).first(8)}, 0ns); });
  check_misuse([&] {
    sender.send(TextureView{kSmall, {static_cast<const std::byte*>(nullptr), kSmallBlocks.size()}}, 0ns);
  });
  TextureDesc other = kSmall;
  other.width = 12;
  check_misuse([&] { sender.send(TextureView{other, kSmallBlocks}, 0ns); });
  CHECK(sender.send(TextureView{kSmall, kSmallBlocks}, 0ns));
  CHECK(sender.finish(20s));
  CHECK(sender.status().frames == 1);

  StreamSender frames({.destinations = kNobody}, EncoderSettings{.source = frame.format, .device = "cpu-reference"});
  check_misuse([&] { frames.send(TextureView{kSmall, kSmallBlocks}, 0ns); });
  check_misuse([&] { frames.send(frame, 0ns); });  // it has no memory
  const std::vector<std::byte> pixels(16 * 16);
  frame.planes[0] = {.data = pixels.data(), .stride_bytes = 16};
  CHECK(frames.send(frame, 0ns));
  CHECK(frames.finish(20s));
}

TEST_CASE("moved-from objects throw; the objects they were moved to work") {
  StreamSender sender({.destinations = kNobody}, kSmall);
  StreamSender taken(std::move(sender));
  check_misuse([&] { sender.status(); });  // NOLINT(bugprone-use-after-move): this is what is tested
  check_misuse([&] { sender.send(TextureView{kSmall, kSmallBlocks}, 0ns); });
  check_misuse([&] { sender.finish(); });
  check_misuse([&] { sender.frame_pool(); });
  CHECK(taken.send(TextureView{kSmall, kSmallBlocks}, 0ns));

  StreamReceiver receiver({.listen = "rtp://127.0.0.1:0"}, [](const ReceivedTexture&) {});
  StreamReceiver other({.listen = "rtp://127.0.0.1:0"}, [](const ReceivedTexture&) {});
  other = std::move(receiver);
  check_misuse([&] { receiver.stop(); });  // NOLINT(bugprone-use-after-move)
  check_misuse([&] { receiver.status(); });
  other.stop();
}

TEST_CASE("misuse of a receiver is an error") {
  check_misuse([] { StreamReceiver({.listen = "rtp://127.0.0.1:0"}, nullptr); });
  const auto with = [](auto change) {
    StreamReceiverSettings wrong{.listen = "rtp://127.0.0.1:0"};
    change(wrong);
    StreamReceiver(wrong, [](const ReceivedTexture&) {});
  };
  check_misuse([&] { with([](auto& s) { s.max_width = -1; }); });
  check_misuse([&] { with([](auto& s) { s.max_width = 64; }); });
  check_misuse([&] { with([](auto& s) { s.max_age = -1s; }); });
  check_misuse([&] { with([](auto& s) { s.textures_kept = 100000; }); });
  CHECK(kind_of([&] { with([](auto& s) { s.listen = "pcap:x"; }); }) == ErrorKind::usage);
  CHECK(kind_of([&] { with([](auto& s) { s.cipher = "rot13"; }); }) == ErrorKind::usage);
  CHECK(kind_of([&] { with([](auto& s) { s.listen = "rtp://192.0.2.1:5004"; }); }) == ErrorKind::network);
  check_misuse([] { static_cast<void>(ReceivedTexture{}.keep()); });
}

TEST_CASE("a receiver that its callback stops says that this is impossible, and goes on") {
  std::optional<StreamReceiver> receiver;
  std::atomic<int> refused = 0;
  std::atomic<bool> made = false;
  receiver.emplace(StreamReceiverSettings{.listen = "rtp://127.0.0.1:0"}, [&](const ReceivedTexture&) {
    if (!made) return;
    try {
      receiver->stop();
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::misuse) ++refused;
    }
  });
  made = true;
  StreamSender sender({.destinations = {receiver->send_to().at(0)}}, kSmall);
  for (const SteadyTime limit = steady_now() + test::kPatience; refused < 2 && steady_now() < limit;) {
    sender.send(TextureView{kSmall, kSmallBlocks}, 0ns);
    std::this_thread::sleep_for(2ms);
  }
  CHECK(refused >= 2);
  receiver->stop();
}
