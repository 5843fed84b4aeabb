#include "attacks.h"

#include <algorithm>
#include <array>
#include <memory>
#include <random>
#include <thread>

#include "../../live/tile_payload.h"
#include "genuine.h"
#include "large_frames.h"
#include "live/stream_format.h"
#include "recorded.h"
#include "transport/audio_packetizer.h"
#include "transport/compact_packet.h"
#include "transport/compact_packetizer.h"
#include "transport/rtcp.h"

namespace texcast::attack {
namespace {

using namespace transport;
using transport::test::Datagram;
using transport::test::datagrams;
using transport::test::Forger;
using transport::test::join;
using transport::test::pts_only;
using transport::test::random_bytes;
using namespace std::chrono_literals;

constexpr uint32_t kOwnSsrc = 0x0BADBAD0;

}  // namespace

void Overheard::put(Lane lane, Bytes datagram) {
  if (const auto numbers = packet_numbers(datagram)) ssrc_[static_cast<size_t>(lane)] = numbers->ssrc;
  if (lane != Lane::picture) return;
  const std::lock_guard lock(mutex_);
  if (packets_.size() < 1000) packets_.emplace_back(datagram.begin(), datagram.end());
}

void Overheard::give_to(Forger& forger) {
  const std::lock_guard lock(mutex_);
  for (const Datagram& packet : packets_) forger.overhear(packet);
  packets_.clear();
}

Mouth::Mouth(const Task& task, const Relay& relay)
    : is_sender_(task.from == "sender"),
      from_(is_sender_ ? "127.0.0.1" : task.from),
      relay_(relay),
      socket_(socket_at(from_)) {}

void Mouth::say(Lane lane, Bytes datagram) {
  ++said_;
  if (is_sender_)
    relay_.say_as_sender(lane, datagram);
  else
    texcast::attack::say(socket_, from_, static_cast<uint16_t>(relay_.to() + static_cast<int>(lane)), datagram);
}

void Mouth::say_to_sender(Lane lane, Bytes datagram) {
  const uint16_t port = relay_.sender_port(lane);
  if (port == 0) return;
  ++said_;
  if (is_sender_)
    relay_.say_as_program(lane, datagram);
  else
    texcast::attack::say(socket_, from_, port, datagram);
}

void flood(const Scene& scene) {
  const Task& task = scene.task;
  Forger forger(task.seed, genuine_stream(task));
  std::mt19937 random(task.seed);
  const SteadyTime begun = steady_now();
  for (uint64_t said = 0; !scene.stop; std::this_thread::sleep_for(500us)) {
    scene.overheard.give_to(forger);
    const auto due = static_cast<uint64_t>(in_seconds(steady_now() - begun) * task.rate);
    for (int burst = 0; said < due && burst < 200; ++said, ++burst) {
      auto kind = static_cast<Forger::Kind>(random() % Forger::kKinds);
      for (size_t i = 0; i < Forger::kKinds; ++i)
        if (task.kind == Forger::kNames[i]) kind = static_cast<Forger::Kind>(i);
      // Requests and reports go to the sender as well.
      const bool is_control = kind == Forger::Kind::rtcp;
      const bool to_sender = (is_control || kind == Forger::Kind::request) && random() % 2 == 0;
      const Lane lane = is_control ? Lane::picture_control : Lane::picture;
      const Bytes datagram = forger.make(kind, wall_now());
      to_sender ? scene.mouth.say_to_sender(lane, datagram) : scene.mouth.say(lane, datagram);
    }
  }
}

void describe(const Scene& scene) {
  constexpr TextureDesc kPictures[] = {{.format = TextureFormat::bc1, .width = 4, .height = 4},
                                       {.format = TextureFormat::bc1, .width = 8, .height = 8},
                                       {.format = TextureFormat::bc5, .width = 4, .height = 4}};
  const size_t pictures = scene.task.scenario == "files" ? 2 : 3;
  const bool is_sender = scene.task.from == "sender";
  PacketizerSettings settings{.ssrc = is_sender ? genuine_stream(scene.task).ssrc : kOwnSsrc};
  settings.numbers = numbering_of(settings);
  for (size_t said = 0; !scene.stop && said < size_t{50} * scene.task.seconds; ++said) {
    const TextureDesc& picture = kPictures[said % pictures];
    settings.stream = stream::stream_of(picture, 50);
    PlainPacketizer packetizer(settings);
    const std::vector<std::byte> blocks(texture_layout(picture).total_bytes, static_cast<std::byte>(said));
    for (const Datagram& datagram : datagrams(packetizer, blocks, pts_only(static_cast<int64_t>(said) * 20ms)))
      scene.mouth.say(Lane::picture, datagram);
    std::this_thread::sleep_for(20ms);
  }
}

void sound(const Scene& scene) {
  constexpr uint32_t kSamples = 480;                                            // 10 ms
  const std::vector<std::byte> samples(size_t{2} * kSamples, std::byte{0x40});  // kForgedLevel in either byte order
  const std::array<Bytes, 2> channels{Bytes(samples), Bytes(samples)};
  std::unique_ptr<AudioPacketizer> packetizer;
  for (uint64_t said = 0; !scene.stop; ++said) {
    if (said % 100 == 0) {
      const uint32_t genuine = scene.overheard.ssrc(Lane::sound);
      const bool takes_name = said / 100 % 2 == 1 && genuine != 0;
      packetizer = std::make_unique<AudioPacketizer>(
          AudioPacketizerSettings{.ssrc = takes_name ? genuine : kOwnSsrc, .parity = 0});
    }
    const AudioBuffer buffer{
        .channels = channels, .samples = kSamples, .position = said * kSamples, .captured = wall_now()};
    for (const OutgoingPacket& packet : packetizer->packetize(buffer)) scene.mouth.say(Lane::sound, join(packet));
    std::this_thread::sleep_for(10ms);
  }
}

void report_losses(const Scene& scene) {
  for (uint32_t said = 0; !scene.stop; ++said) {
    RtcpCompound report{.ssrc = kOwnSsrc + said, .cname = "forger"};
    report.block_count = 1;
    report.blocks[0] = {.ssrc = scene.overheard.ssrc(Lane::picture), .fraction_lost = 255};
    std::array<std::byte, kMaxRtcpBytes> memory{};
    scene.mouth.say_to_sender(Lane::picture_control, Bytes(memory).first(write_rtcp(memory, report)));
    std::this_thread::sleep_for(200ms);
  }
}

void send_large_frames(const Scene& scene) {
  const std::string& scenario = scene.task.scenario;
  const bool is_burst = scenario == "burst";
  const auto frame = large_frame(scenario != "empty");
  PacketizerSettings settings{.mtu = 1500, .ssrc = kOwnSsrc};
  settings.stream = stream::stream_of(kLarge, 30);
  settings.stream.coding = 2;
  CompactPacketizer packetizer(settings, {});
  const int count = is_burst ? 1200 : scene.task.seconds * (scenario == "empty" ? 27 : 29);
  const nanoseconds apart = from_seconds((is_burst ? 0.9 : scene.task.seconds) / count);
  const SteadyTime begun = steady_now();
  for (int i = 0; i < count; ++i) {
    packetizer.begin(pts_only(from_seconds(i / 30.0)));
    const Bytes payload = frame;
    for (const OutgoingPacket& packet : packetizer.add({&payload, 1}, 1)) scene.mouth.say(Lane::picture, join(packet));
    std::this_thread::sleep_until(begun + (i + 1) * apart);
  }
}

Datagram with_forged_tile(Bytes datagram, const TextureDesc& picture) {
  const auto own = parse_own_datagram(datagram);
  const bool is_data = own && own->type == static_cast<uint8_t>(OwnType::compact);
  const auto packet = is_data ? parse_compact(own->body) : std::nullopt;
  if (!packet) return {};
  const compact::TileGrid grid(picture);
  const auto payload = texcast::test::tile_payload(grid, 5, random_bytes(grid.texture_bytes(), 66));
  Datagram forged(datagram.begin(), datagram.end() - static_cast<std::ptrdiff_t>(packet->payload.size()));
  forged.insert(forged.end(), payload.begin(), payload.end());
  return forged;
}

}  // namespace texcast::attack
