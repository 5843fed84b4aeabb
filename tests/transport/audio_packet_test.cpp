// Audio packets bit by bit, compared with bytes written by hand from UltraGrid's packet format and docs/wire.md.
#include <doctest/doctest.h>

#include <array>
#include <initializer_list>
#include <vector>

#include "secret_keys.h"
#include "support.h"
#include "transport/audio_packetizer.h"
#include "transport/pcm_samples.h"

using namespace texcast;
using namespace texcast::transport;
using namespace texcast::transport::test;

namespace {

Datagram octets(std::initializer_list<int> values) {
  Datagram bytes;
  for (const int value : values) bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}

std::vector<Datagram> packets_of(AudioPacketizer& packetizer, const AudioBuffer& buffer) {
  std::vector<Datagram> all;
  for (const OutgoingPacket& packet : packetizer.packetize(buffer)) all.push_back(join(packet));
  return all;
}

}  // namespace

TEST_CASE("a stereo buffer without the extension is identical to UltraGrid's packets") {
  AudioPacketizer packetizer({.channels = 2,
                              .ssrc = 0x01020304,
                              .first_sequence = 0xFFFF,
                              .first_buffer_id = 0x3FFFFF,
                              .timestamp_offset = 0x10,
                              .extension = false});
  const Datagram left = octets({1, 2, 3, 4}), right = octets({5, 6, 7, 8});
  const std::array<Bytes, 2> channels{Bytes(left), Bytes(right)};
  const auto packets = packets_of(packetizer, {.channels = channels, .samples = 2, .position = 480});
  REQUIRE(packets.size() == 2);
  // 480 samples at 48 kHz are 900 ticks (0x384) of 90 kHz; 16 bits << 26 | 48000 is 0x4000BB80.
  CHECK(packets[0] == octets({0x80, 21, 0xFF, 0xFF, 0, 0, 0x03, 0x94, 1,    2,    3, 4, 0x00, 0x3F, 0xFF, 0xFF, 0, 0,
                              0,    0,  0,    0,    0, 4, 0x40, 0x00, 0xBB, 0x80, 0, 0, 0,    1,    1,    2,    3, 4}));
  CHECK(packets[1] ==
        octets({0x80, 0x95, 0x00, 0x00, 0, 0, 0x03, 0x94, 1,    2,    3, 4, 0x00, 0x7F, 0xFF, 0xFF, 0, 0,
                0,    0,    0,    0,    0, 4, 0x40, 0x00, 0xBB, 0x80, 0, 0, 0,    1,    5,    6,    7, 8}));
}

TEST_CASE("the extension is where docs/wire.md specifies it, and Opus has UltraGrid's tag") {
  AudioPacketizer packetizer({.coding = AudioCoding::opus, .channels = 1, .parity = 2});
  const Datagram coded = octets({9});
  const std::array<Bytes, 1> channels{Bytes(coded)};
  const auto packets = packets_of(packetizer, {.channels = channels,
                                               .samples = 240,
                                               .position = 0x1'0000'0002,
                                               .captured = WallTime(nanoseconds(0x0102030405060708))});
  REQUIRE(packets.size() == 1);
  CHECK(Datagram(packets[0].begin() + 12, packets[0].begin() + 40) ==
        octets({0x54, 0x43, 0, 6, 1, 1, 0, 240, 1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 2, 20, 0, 0, 0, 0, 0, 0, 0}));
  CHECK(Datagram(packets[0].end() - 5, packets[0].end()) == octets({0x73, 0x75, 0x70, 0x4F, 9}));
}

TEST_CASE("long buffers are split at whole samples, and no datagram, parity included, exceeds the MTU") {
  for (const int mtu : {576, 1500, 9000}) {
    CAPTURE(mtu);
    AudioPacketizer packetizer({.bits = 24, .channels = 2, .mtu = mtu, .ipv6 = true, .reserved_bytes = 44});
    const std::vector<std::byte> sound = random_bytes(3 * 4800, 7);
    const std::array<Bytes, 2> channels{Bytes(sound), Bytes(sound)};
    size_t data = 0;
    for (const Datagram& packet : packets_of(packetizer, {.channels = channels, .samples = 4800})) {
      CHECK(static_cast<int>(packet.size()) + 40 + 8 + 44 <= mtu);
      if (packet[0] != std::byte{0x90}) continue;
      CHECK(load_be32(packet, 44) % 3 == 0);
      data += packet.size() - 60;
    }
    CHECK(data == 2 * sound.size());
  }
}

TEST_CASE("samples of 8, 16 and 24 bits survive conversion to float and back, and overloads are clipped") {
  for (const int bits : {8, 16, 24}) {
    CAPTURE(bits);
    const std::vector<std::byte> sound = random_bytes(pcm_bytes(bits) * 999, static_cast<uint32_t>(bits));
    std::vector<float> floats(2 * 999);
    pcm_to_floats(sound, bits, std::span(floats).subspan(1), 2);
    std::vector<std::byte> again(sound.size());
    floats_to_pcm(std::span<const float>(floats).subspan(1), 2, bits, again);
    CHECK(again == sound);
    CHECK(floats[0] == 0);
  }
  const std::array<float, 4> loud{1.5F, -1.5F, 1.0F, -1.0F};
  std::array<std::byte, 8> out{};
  floats_to_pcm(loud, 1, 16, out);
  CHECK(Datagram(out.begin(), out.end()) == octets({0xFF, 0x7F, 0x00, 0x80, 0xFF, 0x7F, 0x00, 0x80}));
}

TEST_CASE("the duration of an Opus packet is derived from its first byte, RFC 6716 section 3.1") {
  CHECK(opus_samples(octets({0 << 3})) == 480);           // SILK, 10 ms
  CHECK(opus_samples(octets({3 << 3})) == 2880);          // SILK, 60 ms
  CHECK(opus_samples(octets({13 << 3})) == 960);          // hybrid, 20 ms
  CHECK(opus_samples(octets({28 << 3})) == 120);          // CELT, 2.5 ms
  CHECK(opus_samples(octets({29 << 3 | 1})) == 480);      // two of 5 ms
  CHECK(opus_samples(octets({31 << 3 | 3, 6})) == 5760);  // six of 20 ms
  CHECK(opus_samples(octets({31 << 3 | 3, 7})) == 0);     // more than 120 ms
  CHECK(opus_samples({}) == 0);
}

TEST_CASE("invalid audio parity is refused") {
  const Datagram good = octets({0, 0, 0, 1, 0, 5, 8, 2, 1, 0, 0, 3, 7, 7, 7});
  const auto packet = parse_audio_parity(good);
  REQUIRE(packet);
  CHECK(packet->first_sequence == 5);
  CHECK(packet->data == 8);
  CHECK(packet->symbol.size() == 3);
  const auto with = [&](size_t at, int value) {
    Datagram bad = good;
    bad[at] = static_cast<std::byte>(value);
    return parse_audio_parity(bad).has_value();
  };
  CHECK_FALSE(with(6, 0));   // no data
  CHECK_FALSE(with(6, 63));  // 65 symbols
  CHECK_FALSE(with(7, 1));   // number 1 of 1
  CHECK_FALSE(with(11, 4));  // a symbol of another length
  CHECK_FALSE(parse_audio_parity(Bytes(good).first(11)).has_value());
}
