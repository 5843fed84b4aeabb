// A stream with a bit rate through the unmodified sender: its packets' use of the link.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <functional>
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

// `before_frame` is called with the number of each frame.
Written send_to_capture(const SendSettings& settings, const std::string& path, int frames,
                        nanoseconds apart = kRatedFrame,
                        const std::function<void(int, TextureSender&)>& before_frame = {}) {
  Written written;
  Destinations destinations({"pcap:" + path}, {}, true, IfExists::overwrite, coding_of(settings, kRatedTexture.format));
  AutoResetEvent progress;
  const auto sender = make_texture_sender(destinations, settings, kRatedTexture, progress);
  for (int i = 0; i < frames; ++i) {
    if (before_frame) before_frame(i, *sender);
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
  constexpr double kRate = 0.4e6;  // at higher ones the slow stream does not need twice the bytes
  const SendSettings settings = settings_of({kRate, kRate});
  const auto all = [](const Written& written) {
    double bytes = 0;
    for (const double of_frame : written.line) bytes += of_frame;
    return bytes;
  };
  const double usual = all(send_to_capture(settings, folder.file("a.pcap"), kRatedFrames));
  const double slow = all(send_to_capture(settings, folder.file("b.pcap"), kRatedFrames, 2 * kRatedFrame));
  CHECK(slow > 1.3 * usual);
  CHECK(slow <= (2 * kRatedFrames + 2) * kRate / 8 / kRatedFps);
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

namespace {

// Not fewer in tiny runs: the frames after it must be more than the refinements that follow one frame of noise.
constexpr int kChange = 12;

SendSettings settings_with_crf(double crf) {
  SendSettings settings = settings_of({});
  settings.compact.bitrate.reset();
  settings.compact.crf = crf;
  return settings;
}

double mean(const std::vector<double>& line, int from, int to) {
  double sum = 0;
  for (int i = from; i < to; ++i) sum += line[static_cast<size_t>(i)];
  return sum / (to - from);
}

// Whether the frames from kChange on keep to the rate, once the buffer has drained what was in it.
bool keeps_to(double rate, const std::vector<double>& line) {
  double waiting = 0;
  for (size_t i = static_cast<size_t>(kChange) + 2; i < line.size(); ++i) {
    waiting = std::max(0.0, waiting - rate / 8 / kRatedFps) + line[i];
    if (waiting > 2 * rate / 8 / kRatedFps) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("a running stream gets another crf with the next frame, without beginning again") {
  const texcast::test::TemporaryFolder folder;
  const auto run = [&](double crf, std::optional<double> then) {
    return send_to_capture(settings_with_crf(crf), folder.file("a.pcap"), 2 * kChange, kRatedFrame,
                           [&](int i, TextureSender& sender) {
                             if (i == kChange && then) sender.set_quality(then, std::nullopt);
                           });
  };
  const Written fine = run(12, std::nullopt), coarse = run(40, std::nullopt), changed = run(12, 40);
  CHECK(changed.status.compact->crf == 40);
  for (int i = 0; i < kChange; ++i) CHECK(changed.line[static_cast<size_t>(i)] == fine.line[static_cast<size_t>(i)]);
  const double is = mean(changed.line, kChange, 2 * kChange);
  CHECK(is < 0.85 * mean(fine.line, kChange, 2 * kChange));
  CHECK(is < 1.5 * mean(coarse.line, kChange, 2 * kChange));  // a new beginning would cost a whole picture
  CHECK(changed.status.compact->intra <= fine.status.compact->intra + 1);
}

TEST_CASE("a running stream gets another bit rate, gets its first one, and loses it again") {
  const texcast::test::TemporaryFolder folder;
  struct Row {
    const char* what;
    SendSettings from;
    std::optional<double> crf;
    std::optional<Bitrate> bitrate;
  };
  for (const Row& row : {Row{"less", settings_of({2e6, 2e6}), std::nullopt, Bitrate{0.6e6, 0.6e6}},
                         {"more", settings_of({0.6e6, 0.6e6}), std::nullopt, Bitrate{2e6, 2e6}},
                         {"a range", settings_of({0.6e6, 0.6e6}), std::nullopt, Bitrate{1e6, 4e6}},
                         {"the first", settings_with_crf(16), 16, Bitrate{0.6e6, 0.6e6}},
                         {"none", settings_of({0.4e6, 0.4e6}), 16, std::nullopt}}) {
    CAPTURE(std::string(row.what));
    const Written written =
        send_to_capture(row.from, folder.file("a.pcap"), 2 * kChange, kRatedFrame, [&](int i, TextureSender& sender) {
          if (i == kChange) sender.set_quality(row.crf, row.bitrate);
        });
    const CompactSent& sent = *written.status.compact;
    if (!row.bitrate) {
      CHECK_FALSE(sent.rate_bits_per_s);
      CHECK(sent.crf == 16);
      CHECK(mean(written.line, kChange, 2 * kChange) > 1.3 * mean(written.line, 0, kChange));
    } else if (row.bitrate->least == row.bitrate->most) {
      CHECK(sent.rate_bits_per_s == row.bitrate->most);
      CHECK(keeps_to(row.bitrate->most, written.line));
    } else {
      CHECK(sent.rate_bits_per_s == doctest::Approx(2e6));
    }
  }
}

TEST_CASE("a bit rate for hardly a packet is refused while the stream runs, which then goes on as before") {
  const texcast::test::TemporaryFolder folder;
  SendSettings settings = settings_of({0.6e6, 0.6e6});
  settings.rate_bits_per_s = 4e6;
  const Written written =
      send_to_capture(settings, folder.file("a.pcap"), 6, kRatedFrame, [&](int i, TextureSender& sender) {
        if (i == 2) CHECK_THROWS_AS(sender.set_quality(std::nullopt, Bitrate{1e5, 1e6}), Error);
        if (i == 4) sender.set_quality(std::nullopt, Bitrate{8e6, 8e6});
        if (i == 4) CHECK(sender.status().compact->rate_bits_per_s == 0.6e6);
      });
  CHECK(written.status.compact->rate_bits_per_s == 4e6);  // the limit of the link
}
