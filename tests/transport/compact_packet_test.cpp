// The datagrams of coded streams compared with bytes written by hand, their bounds, and the packetizer.
#include "transport/compact_packet.h"

#include <doctest/doctest.h>

#include <array>

#include "../check_error.h"
#include "compact_support.h"
#include "transport/feedback_opener.h"
#include "transport/pacer.h"
#include "transport/packet_opener.h"
#include "transport/wire_keys.h"

using namespace texcast;
using namespace texcast::transport;
using namespace texcast::transport::test;

namespace {

Datagram from_hex(std::string_view text) {
  Datagram bytes;
  int high = -1;
  for (const char c : text) {
    if (c == ' ' || c == '|') continue;
    const int digit = c <= '9' ? c - '0' : c - 'a' + 10;
    if (high < 0) {
      high = digit;
    } else {
      bytes.push_back(static_cast<std::byte>(high * 16 + digit));
      high = -1;
    }
  }
  return bytes;
}

// docs/wire.md, by hand: 1920x1080 BC1, 60000/1001 frames a second, coder 0xC0DE0001.
constexpr std::string_view kDescription =
    "01 01 01 02 02 01 0000 0780 0438 0000ea60 000003e9 c0de0001"  // the stream's description
    "0000000077359400 000003e8 00000fa0";                          // 2 s after 1970, 1 ms, 4 ms

FrameTimes some_times() {
  FrameTimes times{.pts = 1s};
  times.available = WallTime(2s);
  times.encoded = times.available + 1ms;
  times.sent = times.encoded + 4ms;
  return times;
}

PacketizerSettings vector_settings() {
  PacketizerSettings settings = compact_settings(0x11223344);
  settings.stream.fps = 60'000.0 / 1001;
  settings.timestamp_offset = 0x100;
  return settings;
}

Bytes body_of(Bytes datagram) { return datagram.subspan(kOwnHeaderBytes); }

}  // namespace

TEST_CASE("coded packets match the specification byte for byte") {
  CompactPacketizer packetizer(vector_settings(),
                               {.parity_percent = 10, .answers_requests = true, .takes_tile_requests = true});
  const Payloads payloads = {from_hex("aabbcc"), from_hex("0102030405060708090a0b0c0d0e0f")};
  const auto packets = datagrams(packetizer, payloads, some_times());
  REQUIRE(packets.size() == 3);
  // 90,000 ticks plus the offset; sequence 100; flags: all four; buffer id 7; packet 0 of 2.
  const std::string head = "54430104 11223344 00016090 ";
  CHECK(same(packets[0], from_hex(head + "0064 0f 00 00000007 0000 0002" + std::string(kDescription) + "aabbcc")));
  CHECK(same(packets[1], from_hex(head + "0065 0f 00 00000007 0001 0002" + std::string(kDescription) +
                                  "0102030405060708090a0b0c0d0e0f")));
  // One group of two, one parity symbol of 32 bytes (15 + 2, rounded up). Its bytes are a / 255 + b / 254 in the field
  // of 0x11D.
  const std::string parity = "54430105 11223344 00016090 0000 0f 00 00000007 0002 0001 0020 01 00 ";
  REQUIRE(packets[2].size() == 68 + 32);
  CHECK(same(Bytes(packets[2]).first(68), from_hex(parity + std::string(kDescription))));
  const auto times = [](unsigned a, unsigned b) {
    unsigned product = 0;
    for (int bit = 7; bit >= 0; --bit) {
      product = product << 1 ^ ((product & 0x80) != 0 ? 0x11Du : 0);
      if ((b >> bit & 1) != 0) product ^= a;
    }
    return product & 0xFF;
  };
  unsigned inverse_255 = 1, inverse_254 = 1;
  while (times(inverse_255, 255) != 1) ++inverse_255;
  while (times(inverse_254, 254) != 1) ++inverse_254;
  const auto symbol_a = from_hex("0003aabbcc" + std::string(54, '0'));
  const auto symbol_b = from_hex("000f0102030405060708090a0b0c0d0e0f" + std::string(30, '0'));
  for (size_t i = 0; i < 32; ++i) {
    CAPTURE(i);
    const unsigned a = std::to_integer<unsigned>(symbol_a[i]), b = std::to_integer<unsigned>(symbol_b[i]);
    CHECK(std::to_integer<unsigned>(packets[2][68 + i]) == (times(a, inverse_255) ^ times(b, inverse_254)));
  }
}

TEST_CASE("coded packets are parsed as they were written") {
  const auto bytes =
      from_hex("54430104 11223344 00016090 0064 05 09 ffc12345 0010 0000" + std::string(kDescription) + "77");
  const auto packet = parse_compact(body_of(bytes));
  REQUIRE(packet);
  CHECK(packet->head.ssrc == 0x11223344);
  CHECK(packet->head.timestamp == 0x16090);
  CHECK_FALSE(packet->head.answers_requests);
  CHECK(packet->head.takes_tile_requests);
  CHECK_FALSE(packet->head.parity_follows);
  CHECK(packet->head.description_number == 9);
  CHECK(packet->head.buffer_id == 0x012345);  // the upper ten bits are reserved
  CHECK(packet->sequence == 100);
  CHECK(packet->number == 16);
  CHECK(packet->packets == 0);
  REQUIRE(packet->description);
  CHECK(packet->description->texture_format == 1);
  CHECK(packet->description->coding == 1);
  CHECK(packet->description->width == 1920);
  CHECK(packet->description->height == 1080);
  CHECK(packet->description->rate == FrameRate{60'000, 1001});
  CHECK(packet->description->coder == 0xC0DE0001);
  CHECK(packet->description->available == WallTime(2s));
  CHECK(packet->description->sent == WallTime(2s + 5ms));
  CHECK(same(packet->payload, from_hex("77")));
}

TEST_CASE("coded packets that contradict themselves are refused") {
  const std::string d(kDescription);
  struct Row {
    const char* name;
    std::string bytes;
    bool good;
  };
  const std::string head = "54430104 11223344 00016090 0064 ";
  const Row rows[] = {
      {"no description, one byte", head + "00 00 00000007 0000 0001 77", true},
      {"no payload", head + "00 00 00000007 0000 0001", false},
      {"a description and no payload", head + "01 00 00000007 0000 0001" + d, false},
      {"a description cut off", head + "01 00 00000007 0000 0001" + d.substr(0, 40) + "77", false},
      {"number below the count", head + "00 00 00000007 0001 0002 77", true},
      {"number as the count", head + "00 00 00000007 0002 0002 77", false},
      {"the last there can be", head + "00 00 00000007 fffe 0000 77", true},
      {"one more", head + "00 00 00000007 ffff 0000 77", false},
      {"format 0", head + "01 00 00000007 0000 0001 00" + d.substr(2) + "77", false},
      {"coding 0", head + "01 00 00000007 0000 0001 01 01 01 02 02 00" + d.substr(17) + "77", false},
      {"width 0", head + "01 00 00000007 0000 0001 01 01 01 02 02 01 0000 0000" + d.substr(27) + "77", false},
      {"0 frames", head + "01 00 00000007 0000 0001" + d.substr(0, 33) + "00000000" + d.substr(41) + "77", false},
      {"0 seconds", head + "01 00 00000007 0000 0001" + d.substr(0, 42) + "00000000" + d.substr(50) + "77", false},
      {"unknown flags", head + "f0 00 00000007 0000 0001 77", true},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    CHECK(parse_compact(body_of(from_hex(row.bytes))).has_value() == row.good);
  }
  CHECK_FALSE(parse_compact({}));

  const std::string parity = "54430105 11223344 00016090 ";
  const std::string symbol(32, '5');
  const Row parities[] = {
      {"as it should be", parity + "0001 0f 00 00000007 0004 0002 0010 01 00" + d + symbol, true},
      {"group beyond", parity + "0002 0f 00 00000007 0004 0002 0010 01 00" + d + symbol, false},
      {"number beyond", parity + "0001 0f 00 00000007 0004 0002 0010 01 01" + d + symbol, false},
      {"no packets", parity + "0000 0f 00 00000007 0000 0002 0010 01 00" + d + symbol, false},
      {"another length", parity + "0001 0f 00 00000007 0004 0002 0020 01 00" + d + symbol, false},
      {"no symbol", parity + "0001 0f 00 00000007 0004 0002 0000 01 00" + d, false},
  };
  for (const Row& row : parities) {
    CAPTURE(row.name);
    CHECK(parse_compact_parity(body_of(from_hex(row.bytes))).has_value() == row.good);
  }
}

TEST_CASE("frame rates are transmitted as exact fractions") {
  CHECK(frame_rate_of(60) == FrameRate{60, 1});
  CHECK(frame_rate_of(60'000.0 / 1001) == FrameRate{60'000, 1001});
  CHECK(frame_rate_of(30'000.0 / 1001) == FrameRate{30'000, 1001});
  CHECK(frame_rate_of(24'000.0 / 1001) == FrameRate{24'000, 1001});
  CHECK(frame_rate_of(12.5) == FrameRate{25, 2});
  CHECK(frame_rate_of(1.0 / 3) == FrameRate{1, 3});
  CHECK(frame_rate_of(0.001) == FrameRate{1, 1000});
  for (const double none : {0.0, -1.0, 1e9, 1e-9, std::numeric_limits<double>::quiet_NaN()})
    CHECK(frame_rate_of(none) == FrameRate{30, 1});
  for (const double odd : {59.9400599, 3.14159265358979, 144.0001, 23.976}) {
    const FrameRate rate = frame_rate_of(odd);
    CHECK(rate.fps() == doctest::Approx(odd).epsilon(1e-9));
    CHECK(is_plausible(rate));
  }
  CHECK_FALSE(is_plausible(FrameRate{10'001, 1}));
  CHECK_FALSE(is_plausible(FrameRate{1, 1001}));
  CHECK_FALSE(is_plausible(FrameRate{4'000'000'000, 0}));
}

TEST_CASE("invalid layouts of payloads from the wire are refused") {
  CHECK(SymbolLayout::checked_payloads(1, 16, 1, 1));
  CHECK(SymbolLayout::checked_payloads(65535, 1392, 285, 23));
  CHECK_FALSE(SymbolLayout::checked_payloads(0, 16, 1, 1));
  CHECK_FALSE(SymbolLayout::checked_payloads(65536, 16, 285, 1));
  CHECK_FALSE(SymbolLayout::checked_payloads(4, 0, 1, 1));
  CHECK_FALSE(SymbolLayout::checked_payloads(4, 24, 1, 1));
  CHECK_FALSE(SymbolLayout::checked_payloads(4, 16, 0, 1));
  CHECK_FALSE(SymbolLayout::checked_payloads(4, 16, 5, 1));
  CHECK_FALSE(SymbolLayout::checked_payloads(4, 16, 1, 5));           // more parity than data
  CHECK_FALSE(SymbolLayout::checked_payloads(255, 16, 1, 1));         // 256 symbols
  CHECK_FALSE(SymbolLayout::checked_payloads(65535, 65520, 285, 1));  // more than 2 GiB
}

TEST_CASE("the bytes of a coded frame on the link are known before its packets are made") {
  for (const double parity : {0.0, 10.0, 50.0}) {
    for (const bool sealed : {false, true}) {
      PacketizerSettings settings = compact_settings();
      CompactSettings compact{.parity_percent = parity};
      if (sealed) {
        settings.reserved_bytes = static_cast<int>(kSealOverhead);
        compact.sealer = std::make_shared<Sealer>(*WireKeys::derive("a phrase"));
      }
      CompactPacketizer packetizer(settings, compact);
      const CompactFrameSize size{.parity_percent = parity, .sealed = sealed, .overhead = wire_overhead(false)};
      for (const uint32_t count : {1u, 2u, 4u, 5u, 16u, 17u, 18u, 33u, 300u}) {
        CAPTURE(parity);
        CAPTURE(sealed);
        CAPTURE(count);
        Payloads payloads;
        size_t bytes = 0, longest = 0, line = 0;
        for (uint32_t i = 0; i < count; ++i) {
          payloads.push_back(random_bytes(1 + (i * 37 + count) % 380, 5));
          bytes += payloads.back().size();
          longest = std::max(longest, payloads.back().size());
        }
        for (const Datagram& packet : datagrams(packetizer, payloads)) line += packet.size() + wire_overhead(false);
        CHECK(size.line_bytes(count, bytes, longest) == line);
      }
    }
  }
}

TEST_CASE("payloads yield the same packets, in whatever parts they are added, and whatever the previous frame was") {
  const CompactSettings with_parity{.parity_percent = 20, .answers_requests = true};
  const Payloads payloads = payloads_of(3, 1, 400);
  Payloads many;
  for (int i = 0; i < 700; ++i) many.push_back(random_bytes(1 + static_cast<size_t>(i * 37 % 400), 5));
  for (const size_t step : {size_t{1}, size_t{7}, size_t{64}, size_t{1000}}) {
    CAPTURE(step);
    for (const int before : {0, 1, 40, 600, 710, 3000}) {
      CAPTURE(before);
      CompactPacketizer at_once(compact_settings(), with_parity), in_parts(compact_settings(), with_parity);
      Payloads first;
      for (int i = 0; i < before; ++i) first.push_back(random_bytes(5, 1));
      if (before > 0) {
        datagrams(at_once, first);
        datagrams(in_parts, first);
      }
      const auto whole = datagrams(at_once, many);
      std::vector<Datagram> parts;
      in_parts.begin({});
      const auto views = views_of(many);
      for (size_t at = 0; at < views.size(); at += step) {
        const auto part = std::span(views).subspan(at, std::min(step, views.size() - at));
        const bool last = at + step >= views.size();
        for (const OutgoingPacket& packet : in_parts.add(part, last ? 700 : 0)) parts.push_back(join(packet));
        // One payload is held back, and no more.
        if (!last) CHECK(parts.size() == at + part.size() - 1);
      }
      REQUIRE(parts.size() == whole.size());
      for (size_t i = 0; i < parts.size(); ++i) {
        CAPTURE(i);
        // Before the end the number of payloads was unknown.
        Datagram expected = whole[i];
        if (i < 700 && (i + 1 < 700 - (700 - 1) % step)) {
          const auto packet = parse_compact(body_of(parts[i]));
          REQUIRE(packet);
          if (packet->packets == 0) expected[22] = expected[23] = std::byte{0};
        }
        CHECK(same(parts[i], expected));
      }
    }
  }
}

TEST_CASE("the last packet of a frame states the number of packets, even if all others were sent before it was known") {
  CompactPacketizer packetizer(compact_settings(), {});
  packetizer.begin({});
  const Payloads payloads = payloads_of(1, 5, 100);
  const auto views = views_of(payloads);
  auto packets = packetizer.add(views);
  CHECK(packets.size() == views.size() - 1);
  CHECK_FALSE(packetizer.ended());
  packets = packetizer.add({}, static_cast<uint32_t>(views.size()));
  REQUIRE(packets.size() == 1);
  CHECK(packetizer.ended());
  const Datagram last = join(packets[0]);
  const auto parsed = parse_compact(body_of(last));
  REQUIRE(parsed);
  CHECK(parsed->packets == views.size());
  CHECK(parsed->number + 1u == views.size());
  CHECK(parsed->description);
}

TEST_CASE("a frame with more payloads than packets can count is an error of its sender") {
  const Datagram payload = random_bytes(8, 1);
  const std::vector<Bytes> most(kMostPayloads, payload);
  CompactPacketizer packetizer(compact_settings(), {});
  packetizer.begin({});
  CHECK(packetizer.add(most).size() == kMostPayloads - 1);
  texcast::test::check_error(ErrorKind::usage, "--plain", [&] { (void)packetizer.add(std::span(most).first(1)); });
  packetizer.begin({});
  texcast::test::check_error(ErrorKind::usage, "65535 payloads", [&] { (void)packetizer.add({}, kMostPayloads + 1); });
}

TEST_CASE("a changed description gets a new number, an equal one keeps it") {
  CompactPacketizer packetizer(compact_settings(), {});
  const auto number = [&] {
    const auto all = datagrams(packetizer, payloads_of(0, 1, 10));
    return parse_compact(body_of(all[0]))->head.description_number;
  };
  const auto first = number();
  packetizer.describe(compact_settings().stream);
  CHECK(number() == first);
  StreamDesc other = compact_settings().stream;
  other.coder = 5;
  packetizer.describe(other);
  CHECK(number() == first + 1);
}

TEST_CASE("coded frames like the previous ones do not allocate") {
  CompactPacketizer packetizer(compact_settings(), {.parity_percent = 10, .answers_requests = true});
  const Payloads payloads = payloads_of(2, 400, 478);
  const auto views = views_of(payloads);
  const auto send = [&] {
    packetizer.begin({});
    for (size_t at = 0; at < views.size(); at += 10)
      packetizer.add(std::span(views).subspan(at, std::min<size_t>(10, views.size() - at)));
    packetizer.add({}, static_cast<uint32_t>(views.size()));
  };
  send();
  send();
  const uint64_t before = allocations();
  send();
  CHECK(allocations() == before);
}

TEST_CASE("tile requests: written, parsed, bounded") {
  std::array<std::byte, kMostTileRequestBytes> bytes{};
  const std::array<PacketRange, 2> ranges{{{5, 1}, {0x12345, 0xFFF}}};
  const TileRequest request{.ssrc = 0x11223344, .newest = 9, .state = 7};
  const size_t size = write_tile_request(bytes, request, ranges);
  CHECK(same(Bytes(bytes).first(size), from_hex("54430106 11223344 00000009 00000007 0002 0000 00005001 12345fff")));
  const auto parsed = parse_tile_request(body_of(Bytes(bytes).first(size)));
  REQUIRE(parsed);
  CHECK(parsed->newest == 9);
  CHECK(parsed->state == 7);
  CHECK_FALSE(parsed->all);
  REQUIRE(parsed->ranges == 2);
  CHECK(parsed->range(0) == ranges[0]);
  CHECK(parsed->range(1) == ranges[1]);

  struct Row {
    const char* name;
    const char* bytes;
    bool good;
  };
  const Row rows[] = {
      {"a newcomer", "54430106 11223344 80000009 80000000 0000 0000", true},
      {"nothing is asked for", "54430106 11223344 00000009 00000007 0000 0000", false},
      {"an empty range", "54430106 11223344 00000009 00000007 0001 0000 00005000", false},
      {"a range cut off", "54430106 11223344 00000009 00000007 0002 0000 00005001 123456", false},
      {"too many", "54430106 11223344 80000009 00000007 0101 0000", false},
      {"too short", "54430106 11223344 80000009 00000007 0000 00", false},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    CHECK(parse_tile_request(body_of(from_hex(row.bytes))).has_value() == row.good);
  }
  const auto newcomer = parse_tile_request(body_of(from_hex(rows[0].bytes)));
  CHECK(newcomer->all);
  CHECK_FALSE(newcomer->state);
}

TEST_CASE("tile requests reach only the sender of the stream, sealed if it is") {
  for (const bool sealed : {false, true}) {
    CAPTURE(sealed);
    const auto keys = sealed ? WireKeys::of({std::byte{7}}, {}) : nullptr;
    PacketizerSettings settings = compact_settings(77);
    if (sealed) settings.reserved_bytes = kSealOverhead;
    Bench bench({.keys = keys, .max_age = 0s});
    const PacketRange range{3, 4};
    const TileQuery query{.state = 8, .ranges = {&range, 1}};
    CHECK_FALSE(bench.session.ask_for_tiles(query, bench.now));
    CompactPacketizer deaf(settings, {.sealer = sealer_with(keys)});
    for (const Datagram& datagram : datagrams(deaf, payloads_of(0, 1, 10))) bench.put(datagram);
    CHECK_FALSE(bench.session.ask_for_tiles(query, bench.now));

    CompactPacketizer packetizer(settings, {.takes_tile_requests = true, .sealer = sealer_with(keys)});
    Bench listener({.keys = keys, .max_age = 0s});
    for (int i = 0; i < 3; ++i)
      for (const Datagram& datagram : datagrams(packetizer, payloads_of(i, 5, 10))) listener.put(datagram);
    const auto datagram = listener.session.ask_for_tiles(query, listener.now);
    REQUIRE(datagram);
    CHECK(datagram->size() == kTileRequestHeaderBytes + 4 + (sealed ? kSealOverhead : 0));
    FeedbackOpener opener(77, keys);
    const auto asked = opener.read(*datagram);
    REQUIRE(asked.tiles);
    CHECK_FALSE(asked.packets);
    CHECK(asked.tiles->newest == 9);  // 7 and two more
    CHECK(asked.tiles->state == 8);
    REQUIRE(asked.tiles->ranges == 1);
    CHECK(asked.tiles->range(0) == range);
    // Only once, only for this stream, and unencrypted only if the stream is.
    if (sealed) CHECK_FALSE(opener.read(*datagram).tiles);
    CHECK_FALSE(FeedbackOpener(78, keys).read(*datagram).tiles);
    const auto other = WireKeys::of({std::byte{8}}, {});
    CHECK_FALSE(FeedbackOpener(77, sealed ? nullptr : other).read(*datagram).tiles);
  }
}

TEST_CASE("tile checksums match the specification byte for byte, and invalid ones are refused") {
  const Datagram expected = from_hex("5443 01 0a | 11223344 00000063 0002 0002 | aabbccdd 00000001");
  std::array<std::byte, kMostTileSumsBytes> memory{};
  const std::vector<uint32_t> sums{0xAABBCCDD, 1};
  const size_t bytes = write_tile_sums(memory, {.ssrc = 0x11223344, .buffer_id = 99, .first_row = 2}, sums);
  CHECK(same(Bytes(memory).first(bytes), expected));
  const auto packet = parse_tile_sums(body_of(expected));
  REQUIRE(packet);
  CHECK(packet->ssrc == 0x11223344);
  CHECK(packet->buffer_id == 99);
  CHECK(packet->first_row == 2);
  REQUIRE(packet->rows == 2);
  CHECK(packet->sum(0) == 0xAABBCCDD);
  CHECK(packet->sum(1) == 1);
  for (size_t size = 0; size < expected.size(); ++size)
    if (size >= kOwnHeaderBytes) CHECK_FALSE(parse_tile_sums(body_of(Bytes(expected).first(size))));
  for (const int rows : {0, 3, 257}) {
    Datagram wrong = expected;
    store_be16(wrong, 14, static_cast<uint16_t>(rows));
    CHECK_FALSE(parse_tile_sums(body_of(wrong)));
  }
  const std::vector<uint32_t> most(TileSums::kMaxRows, 7);
  const size_t all = write_tile_sums(memory, {.ssrc = 1, .buffer_id = 0xFFFFFFFF}, most);
  CHECK(all == memory.size());
  const auto largest = parse_tile_sums(body_of(memory));
  REQUIRE(largest);
  CHECK(largest->buffer_id == kBufferIdMask);
  CHECK(largest->sum(TileSums::kMaxRows - 1) == 7);
}
