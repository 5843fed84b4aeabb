// Frames that a coded stream rehearses before it begins leave no trace in what it sends.
#include <doctest/doctest.h>

#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "../patience.h"
#include "../temporary_folder.h"
#include "live/auto_reset_event.h"
#include "live/destinations.h"
#include "stream/texture_sender.h"
#include "transport/pcap.h"
#include "transport/receive_session.h"

using namespace texcast;
using namespace texcast::stream;
using namespace std::chrono_literals;

namespace {

constexpr TextureDesc kRehearsed{.format = TextureFormat::bc1, .width = 320, .height = 192, .color = {}};

// A ramp with a patch of noise that moves by whole blocks, so that later frames have motion to find.
std::vector<std::byte> ramp_and_patch(int frame) {
  std::vector<std::byte> blocks(texture_layout(kRehearsed).total_bytes);
  constexpr int kAcross = kRehearsed.width / 4;
  std::mt19937 random(7);
  for (size_t i = 0; i < blocks.size(); i += 8) {
    const int x = static_cast<int>(i / 8) % kAcross, y = static_cast<int>(i / 8) / kAcross;
    const bool is_patch = x >= 2 + 3 * frame && x < 22 + 3 * frame && y >= 10 && y < 30;
    const uint16_t ends[2] = {static_cast<uint16_t>(0x8410 + x), static_cast<uint16_t>(0x2104 + y)};
    const uint32_t indices = is_patch ? static_cast<uint32_t>(random()) : 0xE4E4E4E4U;
    std::memcpy(&blocks[i], ends, 4);
    std::memcpy(&blocks[i + 4], &indices, 4);
  }
  return blocks;
}

SendSettings rehearsed_settings(bool is_lossy) {
  SendSettings settings{.fps = 30};
  settings.compact.threads = 0;
  if (is_lossy) settings.compact.crf = 23;
  return settings;
}

void wait_until_drained(TextureSender& sender, AutoResetEvent& progress) {
  for (const SteadyTime limit = steady_now() + test::kPatience; !sender.drained() && steady_now() < limit;)
    progress.wait_until(steady_now() + 10ms);
  REQUIRE(sender.drained());
}

// The payloads of a stream that has rehearsed so many frames, without headers, which have times.
std::vector<std::byte> coded_bytes(const SendSettings& settings, int rehearsals) {
  const test::TemporaryFolder folder;
  const std::string path = folder.file("rehearsed.pcap");
  Destinations destinations({"pcap:" + path}, {}, true, IfExists::overwrite, true);
  AutoResetEvent progress;
  const StreamIdentity identity{.numbers = std::make_shared<transport::RtpNumbering>(
                                    transport::RtpNumbering::Settings{.ssrc = 5, .fps = settings.fps})};
  {
    const auto sender = make_texture_sender(destinations, settings, kRehearsed, progress, identity);
    const auto first = ramp_and_patch(0);
    for (int i = 0; i < rehearsals; ++i) {
      sender->rehearse({.texture = {kRehearsed, first}, .times = {}});
      wait_until_drained(*sender, progress);
    }
    CHECK(sender->status().packets == 0);
    if (rehearsals >= 2) CHECK(sender->rehearsal() == Rehearsal::over);
    if (rehearsals == 1) CHECK(sender->rehearsal() == Rehearsal::again);
    for (int i = 0; i < 4; ++i) {
      const auto blocks = ramp_and_patch(i);
      const nanoseconds pts = i * 33'333'333ns;
      sender->start({.texture = {kRehearsed, blocks}, .times = {.pts = pts, .available = WallTime(1000s + pts)}});
      wait_until_drained(*sender, progress);
    }
    CHECK(sender->status().frames == 4);
    CHECK(sender->status().compact->inter > 0);
  }
  destinations.finish_captures();
  transport::PcapReader reader(path);
  transport::ReceiveSession session;
  std::vector<std::byte> bytes;
  while (const auto datagram = reader.next()) {
    const SteadyTime now{datagram->time.time_since_epoch()};
    session.on_datagram(datagram->payload, now, datagram->time, datagram->from);
    while (const auto frame = session.poll(now, datagram->time))
      for (const Bytes payload : frame->payloads) bytes.insert(bytes.end(), payload.begin(), payload.end());
  }
  return bytes;
}

}  // namespace

TEST_CASE("a stream that has rehearsed its first frame sends the same bytes as one that has not") {
  for (const bool is_lossy : {false, true}) {
    CAPTURE(is_lossy);
    const SendSettings settings = rehearsed_settings(is_lossy);
    const std::vector<std::byte> usual = coded_bytes(settings, 0);
    CHECK(usual.size() > 4000);
    for (const int rehearsals : {1, 2, 6}) {
      CAPTURE(rehearsals);
      CHECK(coded_bytes(settings, rehearsals) == usual);
    }
  }
}

TEST_CASE("a raw stream has nothing to rehearse") {
  SendSettings settings{.fps = 30};
  settings.compact.on = false;
  const test::TemporaryFolder folder;
  Destinations destinations({"pcap:" + folder.file("raw.pcap")});
  AutoResetEvent progress;
  const auto sender = make_texture_sender(destinations, settings, kRehearsed, progress);
  const auto blocks = ramp_and_patch(0);
  sender->rehearse({.texture = {kRehearsed, blocks}, .times = {}});
  CHECK(sender->idle());
  CHECK(sender->rehearsal() == Rehearsal::over);
  CHECK(sender->status().packets == 0);
}
