// A stream with a bit rate through the unmodified sender: its packets' use of the link.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "../capture_bound.h"
#include "../patience.h"
#include "../temporary_folder.h"
#include "../tiny.h"
#include "live/auto_reset_event.h"
#include "live/destinations.h"
#include "stream/texture_sender.h"
#include "texcast/error.h"
#include "transport/pacer.h"
#include "transport/wire_keys.h"

using namespace texcast;
using namespace texcast::stream;
using namespace std::chrono_literals;

namespace {

constexpr TextureDesc kRatedTexture{
    .format = TextureFormat::bc1, .width = 320, .height = 192, .color = {}};  // 30 tiles
constexpr double kRatedFps = 30;
// A frame of noise and the frames that compensate it; or three of those.
const int kRatedFrames = texcast::test::tiny_only() ? 12 : 24;
constexpr auto kRatedFrame = std::chrono::nanoseconds(33'333'333);

// Blocks of moving gradients, and of noise in each eighth frame.
std::vector<std::byte> blocks_of(int frame) {
  std::vector<std::byte> blocks(texture_layout(kRatedTexture).total_bytes);
  std::mt19937 random(static_cast<uint32_t>(frame));
  for (size_t i = 0; i < blocks.size(); i += 8) {
    const auto shade = static_cast<uint16_t>((i / 8 * 7 + static_cast<size_t>(frame) * 3) % 31);
    const uint16_t ends[2] = {static_cast<uint16_t>(0x8410 + shade), static_cast<uint16_t>(0x2104 + shade / 2)};
    const uint32_t indices = frame % 8 == 5 ? static_cast<uint32_t>(random()) : 0xE4E4E4E4u;
    std::memcpy(&blocks[i], ends, 4);
    std::memcpy(&blocks[i + 4], &indices, 4);
  }
  return blocks;
}

SendSettings settings_of(const Bitrate& bitrate) {
  SendSettings settings{.fps = kRatedFps};
  settings.wire.fec = {.kind = transport::FecKind::automatic};
  settings.compact.bitrate = bitrate;
  settings.compact.threads = 0;
  return settings;
}

struct Written {
  std::vector<double> line;  // bytes, of each frame
  SentStatus status;
};

Written send_to_capture(const SendSettings& settings, const std::string& path, int frames,
                        nanoseconds apart = kRatedFrame) {
  Written written;
  Destinations destinations({"pcap:" + path}, {}, true, IfExists::overwrite, coding_of(settings, kRatedTexture.format));
  AutoResetEvent progress;
  const auto sender = make_texture_sender(destinations, settings, kRatedTexture, progress);
  for (int i = 0; i < frames; ++i) {
    const auto blocks = blocks_of(i);
    const auto before = sender->status();
    sender->start(
        {.texture = {kRatedTexture, blocks}, .times = {.pts = i * apart, .available = WallTime(1000s + i * apart)}});
    for (const SteadyTime limit = steady_now() + test::kPatience; !sender->drained() && steady_now() < limit;)
      progress.wait_until(steady_now() + 100ms);
    REQUIRE(sender->drained());
    written.status = sender->status();
    written.line.push_back(
        static_cast<double>(written.status.bytes - before.bytes +
                            (written.status.packets - before.packets) * transport::wire_overhead(false)));
  }
  return written;
}

}  // namespace

TEST_CASE("a rate includes everything that is sent: parity, headers, encryption") {
  const texcast::test::TemporaryFolder folder;
  for (const bool sealed : {false, true}) {
    for (const double rate : {0.6e6, 2e6}) {
      CAPTURE_BOUND(sealed);
      CAPTURE_BOUND(rate);
      SendSettings settings = settings_of({rate, rate});
      if (sealed) {
        settings.wire.crypto = transport::CryptoChoice::texcast;
        settings.wire.keys = transport::WireKeys::derive("a phrase");
      }
      const Written written = send_to_capture(settings, folder.file("rated.pcap"), kRatedFrames);
      REQUIRE(written.line.size() == static_cast<size_t>(kRatedFrames));
      double waiting = 0, most = 0;
      for (const double bytes : written.line) {
        waiting = std::max(0.0, waiting - rate / 8 / kRatedFps) + bytes;
        most = std::max(most, waiting);
      }
      CHECK(most <= 2 * rate / 8 / kRatedFps);
      CHECK(most > 1.2 * rate / 8 / kRatedFps);  // and it is used
      REQUIRE(written.status.compact);
      CHECK(written.status.compact->rate_bits_per_s == rate);
      CHECK(written.status.compact->crf > 16);
    }
  }
}

TEST_CASE("a rate is per time: frames at half the frame rate may be twice as large") {
  const texcast::test::TemporaryFolder folder;
  const SendSettings settings = settings_of({0.5e6, 0.5e6});
  const auto all = [](const Written& written) {
    double bytes = 0;
    for (const double of_frame : written.line) bytes += of_frame;
    return bytes;
  };
  const double usual = all(send_to_capture(settings, folder.file("a.pcap"), kRatedFrames));
  const double slow = all(send_to_capture(settings, folder.file("b.pcap"), kRatedFrames, 2 * kRatedFrame));
  CHECK(slow > 1.3 * usual);
  CHECK(slow <= (2 * kRatedFrames + 2) * 0.5e6 / 8 / kRatedFps);
}

TEST_CASE("the link's limit applies to a higher rate; a rate for hardly a packet is refused") {
  const texcast::test::TemporaryFolder folder;
  SendSettings settings = settings_of({4e6, 8e6});
  settings.rate_bits_per_s = 2e6;
  CHECK(send_to_capture(settings, folder.file("a.pcap"), 3).status.compact->rate_bits_per_s == 2e6);
  CHECK_THROWS_AS(send_to_capture(settings_of({2e5, 8e6}), folder.file("b.pcap"), 1), Error);
}

TEST_CASE("an adaptive rate begins between its bounds") {
  const texcast::test::TemporaryFolder folder;
  const Written written = send_to_capture(settings_of({1e6, 4e6}), folder.file("a.pcap"), 3);
  CHECK(written.status.compact->rate_bits_per_s == doctest::Approx(2e6));
}

TEST_CASE("with a crf only there is no rate") {
  const texcast::test::TemporaryFolder folder;
  SendSettings settings = settings_of({});
  settings.compact.bitrate.reset();
  settings.compact.crf = 25;
  const Written written = send_to_capture(settings, folder.file("a.pcap"), 3);
  CHECK_FALSE(written.status.compact->rate_bits_per_s);
  CHECK(written.status.compact->crf == 25);
}
