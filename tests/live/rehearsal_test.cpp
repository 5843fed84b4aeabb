// Frames that a coded stream rehearses before it begins leave no trace in what it sends.
#include <doctest/doctest.h>

#include <algorithm>
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

constexpr TextureDesc kFilm{.format = TextureFormat::ycocg_bc4_420, .width = 320, .height = 192, .color = {}};

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

// Noise in all planes, a part of which moves. Some blocks share an end point, so that both codings are tried.
std::vector<std::byte> film(int frame) {
  std::vector<std::byte> blocks(texture_layout(kFilm).total_bytes);
  std::mt19937 random(11);
  for (std::byte& byte : blocks) byte = static_cast<std::byte>(random());
  for (size_t i = 32; i < blocks.size(); i += 32) blocks[i] = blocks[i - 8];
  for (int y = 8; y < 24; ++y)
    std::rotate(&blocks[static_cast<size_t>(y) * 80 * 8], &blocks[static_cast<size_t>(y * 80 + 2 * frame) * 8],
                &blocks[static_cast<size_t>(y) * 80 * 8] + 80 * 8);
  return blocks;
}

struct RehearsedStream {
  std::string name;
  TextureDesc texture;
  std::vector<std::byte> (*picture)(int frame);
  bool is_lossy;
};
const RehearsedStream kRehearsedStreams[] = {{"lossless", kRehearsed, ramp_and_patch, false},
                                             {"lossy", kRehearsed, ramp_and_patch, true},
                                             {"transform", kFilm, film, true}};

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
std::vector<std::byte> coded_bytes(const RehearsedStream& stream, int rehearsals, bool is_ahead) {
  const SendSettings settings = rehearsed_settings(stream.is_lossy);
  const test::TemporaryFolder folder;
  const std::string path = folder.file("rehearsed.pcap");
  Destinations destinations({"pcap:" + path}, {}, true, IfExists::overwrite, true);
  AutoResetEvent progress;
  const StreamIdentity identity{.numbers = std::make_shared<transport::RtpNumbering>(
                                    transport::RtpNumbering::Settings{.ssrc = 5, .fps = settings.fps})};
  {
    const auto sender = make_texture_sender(destinations, settings, stream.texture, progress, identity);
    for (int i = 0; i < rehearsals; ++i) {
      auto rehearsed = stream.picture(i);
      if (i % 2 == 1) std::ranges::fill(rehearsed, std::byte{});  // as different as possible
      sender->rehearse({.texture = {stream.texture, rehearsed}, .times = {}});
      wait_until_drained(*sender, progress);
    }
    const auto first = stream.picture(0);
    if (is_ahead) {
      sender->code_ahead({.texture = {stream.texture, first}, .times = {}});
      wait_until_drained(*sender, progress);
    }
    CHECK(sender->status().packets == 0);
    if (rehearsals > 2) CHECK(sender->rehearsal() == Rehearsal::over);
    if (rehearsals == 1 || rehearsals == 2) CHECK(sender->rehearsal() == Rehearsal::again);
    for (int i = 0; i < 4; ++i) {
      const auto blocks = stream.picture(i);
      const nanoseconds pts = i * 33'333'333ns;
      sender->start({.texture = {stream.texture, blocks}, .times = {.pts = pts, .available = WallTime(1000s + pts)}});
      wait_until_drained(*sender, progress);
    }
    CHECK(sender->status().frames == 4);
    CHECK(sender->status().compact->inter > 0);
    CHECK((sender->status().compact->transform > 0) == (stream.picture == film));
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

TEST_CASE("a stream that has rehearsed or coded its first frame ahead sends the same bytes as one that has not") {
  for (const RehearsedStream& stream : kRehearsedStreams) {
    CAPTURE(stream.name);
    const std::vector<std::byte> usual = coded_bytes(stream, 0, false);
    CHECK(usual.size() > 4000);
    for (const int rehearsals : {0, 1, 2, 6})
      for (const bool is_ahead : {false, true}) {
        CAPTURE(rehearsals);
        CAPTURE(is_ahead);
        CHECK(coded_bytes(stream, rehearsals, is_ahead) == usual);
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
