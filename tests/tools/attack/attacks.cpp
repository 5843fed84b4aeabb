#include "attacks.h"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <thread>

#include "../../live/tile_payload.h"
#include "genuine.h"
#include "large_frames.h"
#include "recorded.h"
#include "textures/stream_format.h"
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

// None is of the genuine size, and .mov cannot hold the last one.
constexpr TextureDesc kPictures[] = {{.format = TextureFormat::bc1, .width = 4, .height = 4},
                                     {.format = TextureFormat::bc1, .width = 8, .height = 8},
                                     {.format = TextureFormat::bc5, .width = 4, .height = 4}};

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

ForgerSocket::ForgerSocket(const Task& task, const Relay& relay)
    : is_sender_(task.from == "sender"),
      relay_(relay),
      loopback_(address_of(task.from.find(':') != std::string::npos ? "::1" : "127.0.0.1")),
      socket_(socket_at(is_sender_ ? loopback_ : address_of(task.from))) {}

void ForgerSocket::send_to_receiver(Lane lane, Bytes datagram) {
  ++sent_;
  if (is_sender_)
    relay_.send_as_sender(lane, datagram);
  else
    send(socket_, at_port(loopback_, static_cast<uint16_t>(relay_.to() + static_cast<int>(lane))), datagram);
}

void ForgerSocket::send_to_sender(Lane lane, Bytes datagram) {
  const uint16_t port = relay_.sender_port(lane);
  if (port == 0) return;
  ++sent_;
  if (is_sender_)
    relay_.send_as_program(lane, datagram);
  else
    send(socket_, at_port(loopback_, port), datagram);
}

namespace {

// One of Forger's kinds by its name; nothing for "all".
std::optional<Forger::Kind> kind_of(const std::string& name) {
  const auto found = std::ranges::find(Forger::kNames, name);
  if (found == Forger::kNames.end()) return std::nullopt;
  return static_cast<Forger::Kind>(found - Forger::kNames.begin());
}

void send_pictures(const AttackContext& context, std::span<const TextureDesc> pictures) {
  const bool is_sender = context.task.from == "sender";
  PacketizerSettings settings{.ssrc = is_sender ? genuine_stream(context.task).ssrc : kOwnSsrc};
  settings.numbers = numbering_of(settings);
  for (size_t sent = 0; !context.stop && sent < size_t{50} * context.task.seconds; ++sent) {
    const TextureDesc& picture = pictures[sent % pictures.size()];
    settings.stream = stream::stream_of(picture, 50);
    PlainPacketizer packetizer(settings);
    const std::vector<std::byte> blocks(texture_layout(picture).total_bytes, static_cast<std::byte>(sent));
    for (const Datagram& datagram : datagrams(packetizer, blocks, pts_only(static_cast<int64_t>(sent) * 20ms)))
      context.socket.send_to_receiver(Lane::picture, datagram);
    std::this_thread::sleep_for(20ms);
  }
}

void send_large_frames(const AttackContext& context, Bytes payload, int count, double seconds) {
  PacketizerSettings settings{.mtu = 1500, .ssrc = kOwnSsrc};
  settings.stream = stream::stream_of(kLarge, 30);
  settings.stream.coding = stream::kLossyCoding;
  CompactPacketizer packetizer(settings, {});
  const nanoseconds apart = from_seconds(seconds / count);
  const SteadyTime begun = steady_now();
  for (int i = 0; i < count && !context.stop; ++i) {
    packetizer.begin(pts_only(from_seconds(i / 30.0)));
    for (const OutgoingPacket& packet : packetizer.add({&payload, 1}, 1))
      context.socket.send_to_receiver(Lane::picture, join(packet));
    std::this_thread::sleep_until(begun + (i + 1) * apart);
  }
}

}  // namespace

void flood(const AttackContext& context) {
  const Task& task = context.task;
  Forger forger(task.seed, genuine_stream(task));
  std::mt19937 random(task.seed);
  const std::optional<Forger::Kind> only = kind_of(task.kind);
  const SteadyTime begun = steady_now();
  for (uint64_t sent = 0; !context.stop; std::this_thread::sleep_for(500us)) {
    context.overheard.give_to(forger);
    const auto due = static_cast<uint64_t>(in_seconds(steady_now() - begun) * task.rate);
    for (int burst = 0; sent < due && burst < 200; ++sent, ++burst) {
      const auto any = static_cast<Forger::Kind>(random() % Forger::kKinds);
      const Forger::Kind kind = only.value_or(any);
      // Half of the requests and reports go to the sender.
      const bool is_control = kind == Forger::Kind::rtcp;
      const bool to_sender = (is_control || kind == Forger::Kind::request) && random() % 2 == 0;
      const Lane lane = is_control ? Lane::picture_control : Lane::picture;
      const Bytes datagram = forger.make(kind, wall_now());
      to_sender ? context.socket.send_to_sender(lane, datagram) : context.socket.send_to_receiver(lane, datagram);
    }
  }
}

void send_other_sizes(const AttackContext& context) { send_pictures(context, std::span(kPictures).first(2)); }
void send_other_formats(const AttackContext& context) { send_pictures(context, kPictures); }

void send_sound(const AttackContext& context) {
  constexpr uint32_t kSamples = 480;                                            // 10 ms
  const std::vector<std::byte> samples(size_t{2} * kSamples, std::byte{0x40});  // kForgedLevel in either byte order
  const std::array<Bytes, 2> channels{Bytes(samples), Bytes(samples)};
  std::unique_ptr<AudioPacketizer> packetizer;
  for (uint64_t sent = 0; !context.stop; ++sent) {
    if (sent % 100 == 0) {
      const uint32_t genuine = context.overheard.ssrc(Lane::sound);
      const bool takes_name = sent / 100 % 2 == 1 && genuine != 0;
      packetizer = std::make_unique<AudioPacketizer>(
          AudioPacketizerSettings{.ssrc = takes_name ? genuine : kOwnSsrc, .parity = 0});
    }
    const AudioBuffer buffer{
        .channels = channels, .samples = kSamples, .position = sent * kSamples, .captured = wall_now()};
    for (const OutgoingPacket& packet : packetizer->packetize(buffer))
      context.socket.send_to_receiver(Lane::sound, join(packet));
    std::this_thread::sleep_for(10ms);
  }
}

void report_losses(const AttackContext& context) {
  for (uint32_t sent = 0; !context.stop; ++sent) {
    RtcpCompound report{.ssrc = kOwnSsrc + sent, .cname = "forger"};
    report.block_count = 1;
    report.blocks[0] = {.ssrc = context.overheard.ssrc(Lane::picture), .fraction_lost = 255};
    std::array<std::byte, kMaxRtcpBytes> memory{};
    context.socket.send_to_sender(Lane::picture_control, Bytes(memory).first(write_rtcp(memory, report)));
    std::this_thread::sleep_for(200ms);
  }
}

void send_burst(const AttackContext& context) { send_large_frames(context, costly_payload(), 1200, 0.9); }
void send_costly_frames(const AttackContext& context) {
  send_large_frames(context, costly_payload(), 29 * context.task.seconds, context.task.seconds);
}
void send_empty_frames(const AttackContext& context) {
  send_large_frames(context, empty_payload(), 27 * context.task.seconds, context.task.seconds);
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
