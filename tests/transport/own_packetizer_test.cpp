// texcast's own wire format in the sender, and recovery by parity without a session. The oracle multiplies in GF(2^8)
// bit by bit, as in docs/wire.md.
#include "transport/own_packetizer.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>

#include "frame_parity.h"
#include "support.h"

using namespace texcast;
using namespace texcast::transport;
using namespace texcast::transport::test;

namespace {

// Carry-less product modulo x^8 + x^4 + x^3 + x^2 + 1.
uint8_t gf_multiply(uint8_t a, uint8_t b) {
  unsigned product = 0;
  for (unsigned bit = 0; bit < 8; ++bit)
    if (b >> bit & 1) product ^= static_cast<unsigned>(a) << bit;
  for (unsigned bit = 14; bit >= 8; --bit)
    if (product >> bit & 1) product ^= 0x11Du << (bit - 8);
  return static_cast<uint8_t>(product);
}

uint8_t gf_inverse(uint8_t a) {
  for (unsigned b = 1; b < 256; ++b)
    if (gf_multiply(a, static_cast<uint8_t>(b)) == 1) return static_cast<uint8_t>(b);
  return 0;
}

// The parity byte at `at` of parity symbol (group, number) of a frame.
uint8_t expected_parity(const SymbolLayout& layout, Bytes frame, uint32_t group, uint32_t number, uint32_t at) {
  uint8_t sum = 0;
  for (uint32_t i = 0; i < layout.packets_in(group); ++i) {
    const size_t place = size_t{layout.offset(layout.packet(group, i))} + at;
    if (place >= frame.size()) continue;
    sum ^= gf_multiply(std::to_integer<uint8_t>(frame[place]), gf_inverse(static_cast<uint8_t>((255 - number) ^ i)));
  }
  return sum;
}

struct SentFrame {
  std::vector<std::byte> bytes;
  std::vector<Datagram> data, parity;
};

SentFrame send_frame(OwnPacketizer& packetizer, size_t bytes, uint32_t seed = 1) {
  SentFrame sent{random_bytes(bytes, seed), {}, {}};
  for (Datagram& datagram : datagrams(packetizer, sent.bytes))
    (parse_own_datagram(datagram) ? sent.parity : sent.data).push_back(std::move(datagram));
  return sent;
}

PacketizerSettings own_settings(int mtu = 576) {
  PacketizerSettings settings = small_settings();
  settings.mtu = mtu;
  return settings;
}

}  // namespace

TEST_CASE("texcast's layout: as few groups as possible, parity rounded up, and its minimum in small frames") {
  struct Row {
    size_t frame, symbol;
    double percent;
    uint32_t packets, groups, parity;
  };
  const Row rows[] = {
      {1'036'800, 1392, 10, 745, 4, 19},  // 1080p BC1: 187 of 745 in the largest group, 18.7 parity
      {1'036'800, 1392, 20, 745, 4, 38},   {1'036'800, 1392, 0, 745, 1, 0},
      {1392, 1392, 10, 1, 1, 1},           {4 * 1392, 1392, 10, 4, 1, 1},
      {4 * 1392 + 1, 1392, 10, 5, 1, 2},   {231 * 1392, 1392, 10, 231, 1, 24},  // 231 + 24 = 255
      {232 * 1392, 1392, 10, 232, 2, 12},  {127 * 1392, 1392, 100, 127, 1, 127},
      {128 * 1392, 1392, 100, 128, 2, 64},
  };
  for (const Row& row : rows) {
    CAPTURE(row.packets);
    CAPTURE(row.percent);
    const SymbolLayout layout = SymbolLayout::plan(row.frame, row.symbol, row.percent);
    CHECK(layout.packets() == row.packets);
    CHECK(layout.groups == row.groups);
    CHECK(layout.parity == row.parity);
    CHECK(SymbolLayout::checked(layout.frame_bytes, layout.symbol_bytes, layout.groups, layout.parity) == layout);
  }
}

TEST_CASE("texcast's layout from the wire: invalid ones are refused") {
  CHECK(SymbolLayout::checked(10'000, 1392, 1, 2));
  CHECK_FALSE(SymbolLayout::checked(0, 1392, 1, 2));
  CHECK_FALSE(SymbolLayout::checked(0x80000000, 1392, 1, 2));
  CHECK_FALSE(SymbolLayout::checked(10'000, 0, 1, 2));
  CHECK_FALSE(SymbolLayout::checked(10'000, 1400, 1, 2));  // not a multiple of 16
  CHECK_FALSE(SymbolLayout::checked(10'000, 240, 1, 2));
  CHECK_FALSE(SymbolLayout::checked(10'000, 1392, 0, 2));
  CHECK_FALSE(SymbolLayout::checked(10'000, 1392, 9, 2));     // 8 packets
  CHECK_FALSE(SymbolLayout::checked(10'000, 1392, 1, 9));     // more parity than data
  CHECK_FALSE(SymbolLayout::checked(139'200, 1392, 1, 156));  // 100 + 156
}

TEST_CASE(
    "texcast's packets are symbols, describe the layout, and have equal length except for the last one with data") {
  for (const int mtu : {576, 1500, 9000})
    for (const bool ipv6 : {false, true})
      for (const int reserved : {0, 36}) {
        PacketizerSettings settings = own_settings(mtu);
        settings.ipv6 = ipv6;
        settings.reserved_bytes = reserved;
        OwnPacketizer packetizer(settings, {.answers_requests = true});
        const size_t room = static_cast<size_t>(mtu) - (ipv6 ? 48 : 28) - static_cast<size_t>(reserved);
        const size_t symbol = (room - 76) / 16 * 16;
        for (const size_t bytes : {size_t{1}, symbol, symbol + 1, 10 * symbol, 33 * symbol - 5}) {
          CAPTURE(mtu);
          CAPTURE(bytes);
          const SentFrame sent = send_frame(packetizer, bytes);
          REQUIRE(sent.data.size() == (bytes + symbol - 1) / symbol);
          std::vector<std::byte> joined;
          for (size_t i = 0; i < sent.data.size(); ++i) {
            const auto rtp = parse_rtp(sent.data[i]);
            REQUIRE(rtp);
            CHECK(rtp->payload_type == 20);
            CHECK(rtp->marker == (i + 1 == sent.data.size()));
            REQUIRE(rtp->extension_id == kExtensionId);
            REQUIRE(rtp->extension.size() == 36);
            const auto extension = parse_stream_extension(rtp->extension);
            REQUIRE(extension);
            CHECK(extension->symbol_bytes == symbol);
            CHECK(extension->groups == packetizer.layout().groups);
            CHECK(extension->parity == packetizer.layout().parity);
            CHECK(extension->answers_requests);
            CHECK(parse_video_header(rtp->payload)->offset == i * symbol);
            if (i + 1 < sent.data.size()) CHECK(sent.data[i].size() == 76 + symbol);
            const Bytes piece = rtp->payload.subspan(kVideoHeaderBytes);
            joined.insert(joined.end(), piece.begin(), piece.end());
          }
          CHECK(joined == sent.bytes);
          REQUIRE(sent.parity.size() == packetizer.layout().parity_packets());
          for (const Datagram& datagram : sent.parity) CHECK(datagram.size() == 76 + symbol);
          CHECK(76 + symbol <= room);
        }
      }
}

TEST_CASE("parity matches the specification, and its packets contain everything that data packets do") {
  OwnPacketizer packetizer(own_settings(), {.parity_percent = 30});
  const size_t symbol = 464;  // 576 - 28 - 76 = 472
  const SentFrame sent = send_frame(packetizer, 300 * symbol - 100);
  const SymbolLayout& layout = packetizer.layout();
  REQUIRE(layout.groups == 2);
  REQUIRE(layout.parity == 45);
  for (size_t i = 0; i < sent.parity.size(); ++i) {
    const auto own = parse_own_datagram(sent.parity[i]);
    REQUIRE(own);
    CHECK(own->type == 2);
    const auto packet = parse_parity(own->body);
    REQUIRE(packet);
    CHECK(packet->group == i % 2);
    CHECK(packet->number == i / 2);
    CHECK(packet->ssrc == 1);
    CHECK(packet->video.buffer_id == 7);
    CHECK(packet->video.length == sent.bytes.size());
    CHECK(packet->video.width == 64);
    CHECK(packet->video.fourcc == kFourCcDxt1);
    CHECK(packet->extension.symbol_bytes == symbol);
    CHECK(packet->extension.texture_format == 1);
    CHECK(packet->timestamp == parse_rtp(sent.data[0])->timestamp);
    for (const uint32_t at : {0u, 1u, 300u, 463u})
      CHECK(std::to_integer<uint8_t>(packet->symbol[at]) ==
            expected_parity(layout, sent.bytes, packet->group, packet->number, at));
  }
}

TEST_CASE("texcast's packetizer in bands: the same datagrams, data as soon as it is final") {
  OwnPacketizer at_once(own_settings(), {});
  OwnPacketizer in_bands(own_settings(), {});
  const auto frame = random_bytes(50'000, 1);
  for (const size_t band : {size_t{1000}, size_t{20'000}, size_t{50'000}}) {
    const auto want = datagrams(at_once, frame);
    std::vector<Datagram> got;
    in_bands.begin(frame, {});
    for (size_t ready = 0; ready < frame.size();) {
      ready = std::min(ready + band, frame.size());
      for (const OutgoingPacket& packet : in_bands.advance(ready)) got.push_back(join(packet));
      REQUIRE(got.size() >= ready / 464);
    }
    CHECK(in_bands.advance(frame.size()).empty());  // everything else was sent
    CHECK(got == want);
  }
}

TEST_CASE("texcast's packetizer does not allocate for the second frame of a size") {
  OwnPacketizer packetizer(own_settings(1500), {});
  const auto frame = random_bytes(500'000, 1);
  packetizer.packetize(frame, {});
  const uint64_t before = allocations();
  packetizer.packetize(frame, {});
  CHECK(allocations() == before);
}

TEST_CASE("any k of a group's n packets recover the frame, and one fewer does not") {
  OwnPacketizer packetizer(own_settings(), {.parity_percent = 12});
  const size_t symbol = 464;
  std::mt19937 random(5);
  FrameParity parity;
  ParityCodes codes;
  HeapFrameStore store;
  TileBuffer data;
  for (int round = 0; round < 60; ++round) {
    const size_t bytes = 1 + random() % (300 * symbol);
    const SentFrame sent = send_frame(packetizer, bytes, static_cast<uint32_t>(random()));
    const SymbolLayout layout = packetizer.layout();
    CAPTURE(bytes);
    // Each group loses as many packets as it has parity; if `too_many`, one group loses one more.
    const bool too_many = round % 3 == 2;
    std::vector<bool> lost(sent.data.size() + sent.parity.size());
    for (uint32_t group = 0; group < layout.groups; ++group) {
      std::vector<size_t> members;
      for (uint32_t i = 0; i < layout.packets_in(group); ++i) members.push_back(layout.packet(group, i));
      for (uint32_t i = 0; i < layout.parity; ++i) members.push_back(sent.data.size() + i * layout.groups + group);
      std::shuffle(members.begin(), members.end(), random);
      const size_t drop = layout.parity + (too_many && group == 0 ? 1 : 0);
      // At least one data packet, so that it matters.
      std::iter_swap(members.begin(), std::ranges::min_element(members));
      for (size_t i = 0; i < std::min(drop, members.size()); ++i) lost[members[i]] = true;
    }
    std::vector<size_t> order(lost.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::shuffle(order.begin(), order.end(), random);

    parity.begin();
    data.begin(FrameLoan::from(store, bytes), bytes);
    std::ranges::fill(data.memory(), std::byte{0xEE});
    for (const size_t i : order) {
      if (lost[i]) continue;
      uint32_t group = 0;
      if (i < sent.data.size()) {
        const auto rtp = parse_rtp(sent.data[i]);
        REQUIRE(parity.learn(*parse_stream_extension(rtp->extension), static_cast<uint32_t>(bytes)));
        const Bytes piece = rtp->payload.subspan(kVideoHeaderBytes);
        const uint32_t offset = parse_video_header(rtp->payload)->offset;
        data.add(offset, piece);
        parity.arrived(offset, piece.size());
        group = parity.group_of(offset);
      } else {
        const auto packet = parse_parity(parse_own_datagram(sent.parity[i - sent.data.size()])->body);
        REQUIRE(parity.learn(packet->extension, packet->video.length));
        CHECK(parity.add(packet->group, packet->number, packet->symbol) == FrameParity::Added::taken);
        CHECK(parity.add(packet->group, packet->number, packet->symbol) != FrameParity::Added::refused);
        group = packet->group;
      }
      parity.repair(group, data, codes);
    }
    CHECK(data.complete() == !too_many);
    if (!too_many) CHECK(same(data.bytes(), sent.bytes));
    for (uint32_t group = too_many ? 1 : 0; group < layout.groups; ++group) CHECK(parity.missing(group) == 0);
  }
}

TEST_CASE("a frame's parity refuses another layout, other lengths and numbers; its memory does not move") {
  FrameParity parity;
  parity.begin();
  const std::vector<std::byte> symbol(464);
  CHECK(parity.add(0, 0, symbol) == FrameParity::Added::refused);  // nothing known
  StreamExtension extension;
  CHECK_FALSE(parity.learn(extension, 10'000));
  extension.symbol_bytes = 464;
  extension.groups = 2;
  extension.parity = 3;
  CHECK(parity.learn(extension, 10'000));
  CHECK(parity.learn(extension, 10'000));
  CHECK_FALSE(parity.learn(extension, 10'464));
  CHECK(parity.add(2, 0, symbol) == FrameParity::Added::refused);
  CHECK(parity.add(0, 3, symbol) == FrameParity::Added::refused);
  CHECK(parity.add(0, 0, Bytes(symbol).first(463)) == FrameParity::Added::refused);
  CHECK(parity.add(0, 0, symbol) == FrameParity::Added::taken);
  CHECK(parity.add(0, 0, symbol) == FrameParity::Added::duplicate);
  parity.arrived(16, 464);        // not at the beginning of a packet
  parity.arrived(464, 463);       // incomplete
  parity.arrived(464 * 22, 464);  // beyond the frame
  CHECK(parity.missing(0) == 11);
  CHECK(parity.missing(1) == 11);
  parity.arrived(464 * 21, 10'000 - 464 * 21);  // the last one
  CHECK(parity.missing(1) == 10);
}

TEST_CASE("a NACK is parsed as written, and invalid ones are refused") {
  std::vector<std::byte> datagram(2000);
  const PacketRange ranges[] = {{0, 1}, {17, 3}, {PacketRange::kMaxFirst, PacketRange::kMaxCount}};
  const size_t bytes = write_request(datagram, 0x01020304, 0x3FFFFF, ranges);
  CHECK(bytes == 28);
  const auto own = parse_own_datagram(Bytes(datagram).first(bytes));
  REQUIRE(own);
  CHECK(own->type == 3);
  const auto request = parse_request(own->body);
  REQUIRE(request);
  CHECK(request->ssrc == 0x01020304);
  CHECK(request->buffer_id == 0x3FFFFF);
  REQUIRE(request->ranges == 3);
  for (size_t i = 0; i < 3; ++i) CHECK(request->range(i) == ranges[i]);
  for (size_t cut = 4; cut < bytes; ++cut)
    CHECK_FALSE(parse_request(parse_own_datagram(Bytes(datagram).first(cut))->body));
  store_be16(datagram, 12, 0);
  CHECK_FALSE(parse_request(own->body));
  store_be16(datagram, 12, 3);
  store_be32(datagram, 16, 5u << 12);  // an empty range
  CHECK_FALSE(parse_request(own->body));
}
