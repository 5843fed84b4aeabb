// Captures: a real one of a stock sender, real ones of tcpdump, and synthetic ones for every container and link type.
#include "transport/pcap.h"

#include <doctest/doctest.h>
#include <fcntl.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

#include "../times.h"
#include "capture_bound.h"
#include "capture_walk.h"
#include "compact_support.h"
#include "secret_keys.h"
#include "sha256.h"
#include "support.h"
#include "temporary_folder.h"
#include "texcast/error.h"
#include "transport/packet.h"
#include "transport/ultragrid_cipher.h"

using namespace texcast;
using namespace texcast::transport;
using namespace texcast::transport::test;

namespace {

struct TemporaryFile {
  explicit TemporaryFile(Bytes content = {}) {
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(content.data()), static_cast<std::streamsize>(content.size()));
  }
  texcast::test::TemporaryFolder folder;
  std::string path = folder.file("capture");
};

// Writes bytes in either byte order.
struct Writer {
  bool big = false;
  std::vector<std::byte> bytes{};
  Writer& u8(int v) {
    bytes.push_back(static_cast<std::byte>(v));
    return *this;
  }
  Writer& number(uint64_t v, int size, bool big_endian) {
    for (int i = 0; i < size; ++i) u8(static_cast<int>(v >> 8 * (big_endian ? size - 1 - i : i) & 0xFF));
    return *this;
  }
  Writer& u16(uint64_t v) { return number(v, 2, big); }
  Writer& u32(uint64_t v) { return number(v, 4, big); }
  Writer& u64(uint64_t v) { return number(v, 8, big); }
  Writer& net16(uint64_t v) { return number(v, 2, true); }
  Writer& net32(uint64_t v) { return number(v, 4, true); }
  Writer& raw(Bytes v) {
    bytes.insert(bytes.end(), v.begin(), v.end());
    return *this;
  }
  Writer& zeros(size_t n) {
    bytes.resize(bytes.size() + n);
    return *this;
  }
};

std::vector<std::byte> udp_segment(Bytes payload, uint16_t port = 5004) {
  return Writer{}.net16(40000).net16(port).net16(8 + payload.size()).net16(0).raw(payload).bytes;
}
std::vector<std::byte> ipv4(Bytes body, uint16_t id = 1, uint16_t fragment = 0, int protocol = 17) {
  return Writer{}
      .u8(0x45)
      .u8(0)
      .net16(20 + body.size())
      .net16(id)
      .net16(fragment)
      .u8(64)
      .u8(protocol)
      .net16(0)
      .net32(0x0A000001)
      .net32(0x0A000002)
      .raw(body)
      .bytes;
}
std::vector<std::byte> ipv6(Bytes body, int next = 17) {
  return Writer{}.net32(0x60000000).net16(body.size()).u8(next).u8(64).zeros(32).raw(body).bytes;
}
std::vector<std::byte> ethernet(Bytes body, uint16_t type = 0x0800) {
  return Writer{}.zeros(12).net16(type).raw(body).bytes;
}

std::vector<std::byte> classic(bool big, bool nano, uint32_t link, const std::vector<std::vector<std::byte>>& packets) {
  Writer w{big};
  w.u32(nano ? 0xA1B23C4D : 0xA1B2C3D4).u16(2).u16(4).u32(0).u32(0).u32(65535).u32(link);
  for (const auto& p : packets) w.u32(1'700'000'000).u32(123'456).u32(p.size()).u32(p.size()).raw(p);
  return w.bytes;
}

struct Kept {
  std::vector<std::byte> payload;
  WallTime time;
  uint16_t port;
};
std::vector<Kept> read_all(const std::string& path) {
  PcapReader reader(path);
  std::vector<Kept> all;
  while (const auto d = reader.next()) all.push_back({{d->payload.begin(), d->payload.end()}, d->time, d->port});
  return all;
}
std::vector<Kept> read_bytes(Bytes file) { return read_all(TemporaryFile(file).path); }

// The frames that a session delivers from a capture.
std::vector<Shown> frames_of(const std::string& path, ReceiveCounters* counters = nullptr,
                             const ReceiveSettings& settings = {}) {
  PcapReader reader(path);
  Bench bench(settings);
  while (const auto datagram = reader.next()) {
    bench.now = steady_of(datagram->time);
    bench.put(datagram->payload);
  }
  bench.pass(1s);
  if (counters) *counters = bench.counters();
  return std::move(bench.shown);
}

}  // namespace

TEST_CASE("the digest itself: FIPS 180-4's examples") {
  CHECK(sha256_hex(std::as_bytes(std::span("abc", 3))) ==
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(sha256_hex({}) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST_CASE("a stock UltraGrid sender's frames are received as the stock receiver wrote them") {
  ReceiveCounters counters;
  const auto frames = frames_of(TEXCAST_TEST_DATA "/ultragrid_dxt1.pcap", &counters);
  REQUIRE(frames.size() == 3);
  CHECK(sha256_hex(frames[0].bytes) == "26495199ae1a72e04e6b4028d523592b1171570871e572c46a2fe88be5c125b6");
  CHECK(sha256_hex(frames[1].bytes) == "b7778b6858f1279d198fd6237952747beae57459f1a30a6b16b3ba85588da969");
  CHECK(sha256_hex(frames[2].bytes) == "cc95934b3553474dddbf178fceb4039300e361429a812e49d9d05d013400d00d");
  for (const auto& shown : frames) {
    CHECK(shown.frame.concealed_bytes == 0);
    CHECK(shown.frame.stream == StreamDesc{.fourcc = kFourCcDxt1, .width = 320, .height = 240, .fps = 5});
  }
  CHECK(frames[0].frame.new_stream);
  CHECK_FALSE(frames[1].frame.new_stream);
  CHECK(frames[2].frame.number == 2);
  // 242 ms by the capture's clock: the second frame was early.
  CHECK(frames[2].frame.times.pts.count() == doctest::Approx(0.242e9).epsilon(0.01));
  CHECK(counters.packets == 81);
  CHECK(counters.frames_complete == 3);
  CHECK(counters.foreign == 1);  // an RTCP packet
  CHECK(counters.lost + counters.late + counters.malformed + counters.duplicate == 0);
}

TEST_CASE("tcpdump on loopback records UDP_SEGMENT's trains uncut: three frames of five packets as three datagrams") {
  ReceiveCounters counters;
  const auto frames = frames_of(TEXCAST_TEST_DATA "/segmented_loopback.pcap", &counters);
  REQUIRE(frames.size() == 3);
  CHECK(counters.packets == 15);
  for (uint32_t i = 0; i < 3; ++i) {
    CHECK(frames[i].bytes == random_bytes(5760, 9 + i));
    CHECK(frames[i].frame.stream.width == 159);
    CHECK(frames[i].frame.stream.height == 71);
    CHECK(frames[i].frame.concealed_bytes == 0);
  }
}

TEST_CASE("stock senders' FEC and encryption are received as the stock receiver wrote them") {
  ReceiveCounters counters;
  SUBCASE("Reed-Solomon, then LDGM") {
    const auto frames = frames_of(TEXCAST_TEST_DATA "/ultragrid_fec.pcap", &counters);
    REQUIRE(frames.size() == 2);
    for (const auto& shown : frames)
      CHECK(sha256_hex(shown.bytes) == "b7778b6858f1279d198fd6237952747beae57459f1a30a6b16b3ba85588da969");
  }
  SUBCASE("CBC") {
    const auto frames = frames_of(TEXCAST_TEST_DATA "/ultragrid_cbc.pcap", &counters,
                                  {.keys = secret_keys(), .cipher = CryptoChoice::ultragrid_cbc});
    REQUIRE(frames.size() == 1);
    CHECK(sha256_hex(frames[0].bytes) == "26495199ae1a72e04e6b4028d523592b1171570871e572c46a2fe88be5c125b6");
  }
  CHECK(counters.frames_concealed + counters.lost + counters.malformed + counters.refused == 0);
}

// Uses the captures of tests/data/captures, or of the folder in TEXCAST_CAPTURES.
TEST_CASE("every frame of every capture of stock senders matches its README") {
  const char* other = std::getenv("TEXCAST_CAPTURES");
  const std::string folder = other != nullptr ? other : TEXCAST_TEST_DATA "/captures";
  std::map<std::string, std::vector<std::string>> expected;  // file → digests
  std::map<std::string, bool> encrypted;
  std::ifstream readme(folder + "/README.md");
  for (std::string text; std::getline(readme, text);) {
    std::istringstream words(text);
    std::string file, index, pt, type, word, digest;
    if (!(words >> file >> index >> pt >> type) || pt != "PT" || file.find(".pcap") == file.npos) continue;
    while (words >> word) digest = word;
    expected[file].push_back(digest);
    encrypted[file] |= type == "24" || type == "29" || type == "30";
  }
  for (const auto& [file, digests] : expected) {
    CAPTURE_BOUND(file);
    ReceiveSettings settings;
    if (encrypted[file]) settings.keys = secret_keys();
    for (const CryptoChoice choice : kOpenedCryptoChoices)  // the name contains that of the mode
      if (ultragrid_mode(choice) && file.find(name(choice).substr(std::string_view("ultragrid-").size())) != file.npos)
        settings.cipher = choice;
    const auto frames = frames_of(folder + "/" + file, nullptr, settings);
    REQUIRE(frames.size() == digests.size());
    for (size_t i = 0; i < frames.size(); ++i) CHECK(sha256_hex(frames[i].bytes) == digests[i]);
  }
  MESSAGE("captures compared: " << expected.size());
  CHECK(!expected.empty());
}

TEST_CASE("containers and link types") {
  const auto payload = random_bytes(50, 1);
  const auto segment = udp_segment(payload);
  const auto ip = ipv4(segment);
  const auto vlan = Writer{}.zeros(12).net16(0x88A8).net16(5).net16(0x8100).net16(6).net16(0x0800).raw(ip).bytes;
  const auto padded = Writer{}.raw(ethernet(ip)).zeros(20).bytes;
  const auto hop_by_hop = Writer{}.u8(17).u8(0).zeros(6).raw(segment).bytes;
  struct Row {
    const char* name;
    uint32_t link;
    std::vector<std::byte> packet;
  };
  const Row rows[] = {
      {"Ethernet", 1, ethernet(ip)},
      {"Ethernet, two VLAN tags", 1, vlan},
      {"Ethernet, padded to the shortest frame", 1, padded},
      {"raw IPv4", 101, ip},
      {"raw IPv6", 101, ipv6(segment)},
      {"IPv6 with a hop-by-hop header", 101, ipv6(hop_by_hop, 0)},
      {"BSD null", 0, Writer{}.u32(2).raw(ip).bytes},
      {"Linux cooked", 113, Writer{}.zeros(14).net16(0x0800).raw(ip).bytes},
      {"Linux cooked v2", 276, Writer{}.net16(0x86DD).zeros(18).raw(ipv6(segment)).bytes},
  };
  for (const Row& row : rows) {
    for (const bool big : {false, true}) {
      for (const bool nano : {false, true}) {
        CAPTURE(row.name);
        const auto all = read_bytes(classic(big, nano, row.link, {row.packet, row.packet}));
        REQUIRE(all.size() == 2);
        CHECK(all[1].payload == payload);
        CHECK(all[1].port == 5004);
        CHECK(all[1].time == WallTime(1'700'000'000s + (nano ? 123'456ns : 123'456us)));
      }
    }
  }
}

TEST_CASE("pcapng: two sections of different byte orders, two interfaces, unknown blocks between") {
  const auto payload = random_bytes(51, 1);
  const auto ip = ipv4(udp_segment(payload));
  std::vector<std::byte> file;
  for (const bool big : {false, true}) {
    Writer w{big};
    const auto block = [&](uint32_t type, const Writer& body) {
      const size_t padding = (4 - body.bytes.size() % 4) % 4;
      const size_t length = body.bytes.size() + padding + 12;
      w.u32(type).u32(length).raw(body.bytes).zeros(padding).u32(length);
    };
    block(0x0A0D0D0A, Writer{big}.u32(0x1A2B3C4D).u16(1).u16(0).u64(~uint64_t{0}));
    block(1, Writer{big}.u16(1).u16(0).u32(0));
    block(1, Writer{big}.u16(101).u16(0).u32(0).u16(2).u16(3).u32(0).u16(9).u16(1).u8(9).zeros(3).u16(0).u16(
                 0));  // name, nanoseconds
    block(0x0BAD, Writer{big}.zeros(9));
    const auto enhanced = [&](uint32_t interface, uint64_t ticks, Bytes packet) {
      block(6, Writer{big}
                   .u32(interface)
                   .u32(ticks >> 32)
                   .u32(ticks & 0xFFFFFFFF)
                   .u32(packet.size())
                   .u32(packet.size())
                   .raw(packet));
    };
    enhanced(0, 1'700'000'000'000'001, ethernet(ip));
    enhanced(1, 1'700'000'000'000'000'002, ip);
    enhanced(2, 0, ip);  // no such interface
    block(3, Writer{big}.u32(ethernet(ip).size()).raw(ethernet(ip)));
    file.insert(file.end(), w.bytes.begin(), w.bytes.end());
  }
  const auto all = read_bytes(file);
  REQUIRE(all.size() == 6);
  for (const auto& kept : all) CHECK(kept.payload == payload);
  for (const size_t section : {0, 3}) {
    CHECK(all[section].time == WallTime(1'700'000'000s + 1us));
    CHECK(all[section + 1].time == WallTime(1'700'000'000s + 2ns));
    CHECK(all[section + 2].time == WallTime(0ns));
  }
}

TEST_CASE("fragments are reassembled in any order; packets other than UDP are skipped") {
  const auto payload = random_bytes(3000, 1);
  const auto segment = udp_segment(payload);
  const Bytes s(segment);
  const auto a = ipv4(s.subspan(0, 1480), 7, 0x2000);
  const auto b = ipv4(s.subspan(1480, 1480), 7, 0x2000 | 1480 / 8);
  const auto c = ipv4(s.subspan(2960), 7, 2960 / 8);
  const auto other = ipv4(s.subspan(0, 1480), 8, 0x2000);  // never completed
  const auto six = [&](size_t offset, size_t size, bool more) {
    const auto body = Writer{}.u8(17).u8(0).net16(offset | (more ? 1 : 0)).net32(99).raw(s.subspan(offset, size)).bytes;
    return ipv6(body, 44);
  };
  const auto tcp = ipv4(s, 9, 0, 6);
  for (const auto& order : {std::vector{a, other, b, tcp, c}, std::vector{c, a, b}, std::vector{b, c, b, a}}) {
    const auto all = read_bytes(classic(false, false, 101, order));
    REQUIRE(all.size() == 1);
    CHECK(all[0].payload == payload);
  }
  const auto all6 = read_bytes(classic(false, false, 101, {six(1480, 1528, false), six(0, 1480, true)}));
  REQUIRE(all6.size() == 1);
  CHECK(all6[0].payload == payload);
}

TEST_CASE("not a capture, a broken one, a truncated one") {
  CHECK_THROWS_AS(PcapReader("/nonexistent/file.pcap"), Error);
  for (const auto& junk : {random_bytes(0, 1), random_bytes(3, 1), random_bytes(500, 1)}) {
    const TemporaryFile file(junk);
    try {
      PcapReader reader(file.path);
      FAIL("opened junk of " << junk.size());
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::input);
      CHECK(std::string(error.what()).find("not a pcap or pcapng file") != std::string::npos);
    }
  }
  const auto file =
      classic(false, false, 101, {ipv4(udp_segment(random_bytes(50, 1))), ipv4(udp_segment(random_bytes(50, 2)))});
  for (size_t size = 24; size < file.size(); ++size)
    CHECK(read_bytes(Bytes(file).first(size)).size() == (size < 24 + 16 + 78 ? 0 : 1));
}

TEST_CASE("trains that were captured uncut are returned as separate packets") {
  PacketizerSettings settings = small_settings();
  settings.first_sequence = 65530;
  PlainPacketizer packetizer(settings);
  for (const size_t size : {size_t{16}, size_t{480}, size_t{512}, size_t{900}, kSmallFrame, size_t{20'000}}) {
    CAPTURE(size);
    const auto packets = datagrams(packetizer, random_bytes(size, 1));
    for (size_t count = 1; count <= packets.size(); ++count) {
      Datagram train;
      for (size_t i = 0; i < count; ++i) train.insert(train.end(), packets[i].begin(), packets[i].end());
      REQUIRE(train_segment_bytes(train) == (count == 1 ? train.size() : packets[0].size()));
    }
  }
  CHECK(train_segment_bytes(random_bytes(5000, 2)) == 5000);
  CHECK(train_segment_bytes({}) == 0);
}

TEST_CASE("so are trains of coded packets") {
  CompactPacketizer packetizer(compact_settings(), {.parity_percent = 20});
  Payloads payloads(40);
  for (size_t i = 0; i < payloads.size(); ++i) payloads[i] = random_bytes(300, static_cast<uint32_t>(i));
  const auto all = datagrams(packetizer, payloads);
  const auto train_of = [&](size_t first, size_t count) {
    Datagram train;
    for (size_t i = first; i < first + count; ++i) train.insert(train.end(), all[i].begin(), all[i].end());
    return train;
  };
  for (size_t count = 1; count <= 15; ++count) {  // packet 0 has a description, and 16 the next
    CAPTURE(count);
    CHECK(train_segment_bytes(train_of(1, count)) == 24 + 300);
  }
  REQUIRE(all.size() == 48);
  for (size_t count = 1; count <= 8; ++count) CHECK(train_segment_bytes(train_of(40, count)) == 68 + 304);
  CHECK(train_segment_bytes(Bytes(all[40]).first(60)) == 60);
  CHECK(train_segment_bytes(Bytes(all[1]).first(20)) == 20);
}

TEST_CASE("the reader and tcpdump read what the writer writes") {
  PacketizerSettings settings = small_settings();
  PlainPacketizer packetizer(settings);
  const TemporaryFile file;
  const auto frame = random_bytes(kSmallFrame, 3);
  std::vector<Datagram> sent;
  {
    PcapWriter writer(Descriptor(open(file.path.c_str(), O_WRONLY | O_TRUNC)), file.path);
    for (const auto& packet : packetizer.packetize(frame, {})) {
      sent.push_back(join(packet));
      writer.write(packet, WallTime(1'700'000'000s + 5ns), 5004);
    }
    writer.finish();
  }
  const auto all = read_all(file.path);
  REQUIRE(all.size() == sent.size());
  for (size_t i = 0; i < all.size(); ++i) {
    CHECK(all[i].payload == sent[i]);
    CHECK(all[i].port == 5004);
    CHECK(all[i].time == WallTime(1'700'000'000s + 5ns));
  }
  const auto frames = frames_of(file.path);
  REQUIRE(frames.size() == 1);
  CHECK(frames[0].bytes == frame);

  if (std::system("command -v tcpdump >/dev/null 2>&1") != 0) {
    MESSAGE("SKIP: tcpdump is not installed");
    return;
  }
  const TemporaryFile text;
  REQUIRE(std::system(("tcpdump -nvv -r " + file.path + " >" + text.path + " 2>/dev/null").c_str()) == 0);
  std::ifstream lines(text.path);
  int packets = 0;
  for (std::string read; std::getline(lines, read);) {
    CHECK(read.find("bad cksum") == read.npos);
    if (read.find("127.0.0.1.5004 > 127.0.0.1.5004: ") != read.npos) ++packets;
  }
  CHECK(packets == static_cast<int>(sent.size()));
}

TEST_CASE("the writer reports failures, even those that a full disk shows only at the end") {
  CHECK_THROWS_AS(PcapWriter(Descriptor(), "nothing.pcap"), Error);
  PcapWriter writer(Descriptor(open("/dev/full", O_WRONLY)), "/dev/full");
  CHECK_THROWS_AS(writer.finish(), Error);
  CHECK_NOTHROW(writer.finish());
}
