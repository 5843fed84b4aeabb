// tools/wireshark/texcast.lua in tshark, with captures of the program: fields are compared with the options and with
// the lengths of datagrams.
#include <doctest/doctest.h>
#include <fcntl.h>

#include <array>
#include <cstdio>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "program.h"
#include "texcast/format.h"
#include "transport/compact_packet.h"
#include "transport/cursor_packet.h"
#include "transport/envelope_packet.h"
#include "transport/pcap.h"

using namespace texcast;
using namespace texcast::test;

namespace {

using Row = std::map<std::string, std::string>;  // fields by name; several values of a packet are separated by commas

bool have_tshark() {
  if (shell("command -v tshark > /dev/null").exit_code == 0) return true;
  MESSAGE("SKIP: no tshark");
  return false;
}

std::string tshark(const Folder& folder, const std::string& arguments) {
  // A home directory of its own, without preferences of the user.
  const Outcome outcome =
      shell("cd '" + folder.file("") + "'\nHOME=$PWD tshark -X lua_script:'" TEXCAST_DISSECTOR "' " + arguments);
  INFO(arguments << "\n" << outcome.err);
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.err.find("Lua") == std::string::npos);
  return outcome.out;
}

std::vector<Row> fields(const Folder& folder, const std::string& capture, const std::vector<std::string>& names,
                        const std::string& options = "") {
  std::string arguments = "-r " + capture + " -T fields " + options;
  for (const std::string& name : names) arguments += " -e " + name;
  std::vector<Row> rows;
  std::istringstream lines(tshark(folder, arguments));
  for (std::string line; std::getline(lines, line);) {
    Row& row = rows.emplace_back();
    std::istringstream cells(line + "\t");
    for (const std::string& name : names) std::getline(cells, row[name], '\t');
  }
  return rows;
}

long number(const Row& row, const std::string& name) {
  const std::string& text = row.at(name);
  return text.empty() ? -1 : std::stol(text, nullptr, 0);
}

void send(const Folder& folder, const std::string& options, const std::string& capture) {
  const Outcome sent = shell("cd '" + folder.file("") +
                             "'\necho 'correct horse' > key; chmod 600 key\ntexcast send test pcap:" + capture +
                             " --frames 4 " + options);
  REQUIRE_MESSAGE(sent.exit_code == 0, sent.err);
}

// Copies a capture, to another port; `change` may change each datagram.
class Rewriter {
 public:
  explicit Rewriter(const std::string& path)
      : writer_(Descriptor(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600)), path) {}
  void put(Bytes datagram, uint16_t port = 5004) {
    writer_.write({.header = datagram, .payload = {}}, WallTime(std::chrono::seconds(count_++)), port);
  }
  void finish() { writer_.finish(); }

 private:
  transport::PcapWriter writer_;
  int count_ = 1;
};

std::vector<std::vector<std::byte>> datagrams(const std::string& path) {
  std::vector<std::vector<std::byte>> all;
  transport::PcapReader reader(path);
  while (const auto datagram = reader.next()) all.emplace_back(datagram->payload.begin(), datagram->payload.end());
  return all;
}

constexpr long kUdpHeader = 8;

}  // namespace

TEST_CASE("the dissector knows every encoded format") {
  const std::string dissector = read_file(TEXCAST_DISSECTOR);
  for (const TextureFormat format : encoded_formats()) {
    const std::string entry =
        "[" + std::to_string(static_cast<int>(format)) + "] = \"" + std::string(name(format)) + "\"";
    CHECK_MESSAGE(dissector.find(entry) != std::string::npos, entry);
  }
}

TEST_CASE("raw streams in tshark: RTP, extension, video header; texcast's parity, UltraGrid's FEC and ciphers") {
  if (!have_tshark()) return;
  const Folder folder;
  // 190x100 in blocks of 4x4, 8 bytes each: 48 x 25 x 8 = 9600 bytes. With 32 bytes of extension in the first packet
  // there are 1392 bytes in it and 1424 in the next ones (docs/wire.md), so 7 packets; with symbols of 1392 bytes 7
  // too.
  send(folder, "--size 190x100 --fps 25 --plain --fec none --retransmit off", "plain.pcap");
  std::vector<Row> rows =
      fields(folder, "plain.pcap",
             {"rtp.p_type", "rtp.seq", "rtp.marker", "ultragrid.buffer", "ultragrid.offset", "ultragrid.length",
              "ultragrid.data.len", "ultragrid.width", "ultragrid.height", "ultragrid.fourcc", "ultragrid.fps",
              "texcast.ext.format", "texcast.ext.width", "texcast.ext.height", "texcast.ext.symbol", "udp.length"});
  REQUIRE(rows.size() == 28);
  for (size_t i = 0; i < rows.size(); ++i) {
    const Row& row = rows[i];
    CAPTURE(i);
    CHECK(row.at("rtp.p_type") == "20");
    CHECK(number(row, "rtp.seq") == (number(rows[0], "rtp.seq") + long(i)) % 65536);
    CHECK(number(row, "rtp.marker") == (i % 7 == 6));
    CHECK(number(row, "ultragrid.buffer") == (number(rows[0], "ultragrid.buffer") + long(i / 7)) % (1 << 22));
    CHECK(number(row, "ultragrid.offset") == (i % 7 == 0 ? 0 : 1392 + (long(i) % 7 - 1) * 1424));
    CHECK(row.at("ultragrid.length") == "9600");
    CHECK(row.at("ultragrid.width") + "x" + row.at("ultragrid.height") == "192x100");
    CHECK(row.at("ultragrid.fourcc") == "DXT1");
    CHECK(row.at("ultragrid.fps") == "25");
    const long extension = row.at("texcast.ext.width").empty() ? 0 : 32;
    CHECK((extension > 0) == (i % 7 == 0 || i % 7 == 6));  // the first and the last
    if (extension > 0) CHECK(row.at("texcast.ext.width") + "x" + row.at("texcast.ext.height") == "190x100");
    if (extension > 0) CHECK(row.at("texcast.ext.format") == "1");
    CHECK(row.at("texcast.ext.symbol").empty());
    CHECK(number(row, "ultragrid.data.len") == number(row, "udp.length") - kUdpHeader - 12 - 24 - extension);
  }

  send(folder, "--size 190x100 --plain", "own.pcap");  // 10 % of 7 is one packet, and another one
  rows = fields(folder, "own.pcap",
                {"texcast.ext.symbol", "texcast.ext.groups", "texcast.ext.parity", "texcast.type", "texcast.group",
                 "texcast.parity.number", "texcast.symbol", "rtp.ssrc", "texcast.ssrc", "ultragrid.buffer",
                 "texcast.ext.width", "rtp.timestamp", "texcast.timestamp"});
  REQUIRE(rows.size() == 36);
  for (size_t i = 0; i < rows.size(); ++i) {
    const Row& row = rows[i];
    CAPTURE(i);
    CHECK(row.at("texcast.ext.symbol") == "1392");
    CHECK(row.at("texcast.ext.groups") == "1");
    CHECK(row.at("texcast.ext.parity") == "2");
    CHECK(row.at("texcast.ext.width") == "190");
    CHECK(number(row, "ultragrid.buffer") == (number(rows[0], "ultragrid.buffer") + long(i / 9)) % (1 << 22));
    if (i % 9 < 7) continue;
    CHECK(row.at("texcast.type") == "2");
    CHECK(row.at("texcast.group") == "0");
    CHECK(number(row, "texcast.parity.number") == long(i % 9) - 7);
    CHECK(row.at("texcast.symbol").size() == 2 * 1392);
    CHECK(number(row, "texcast.ssrc") == number(rows[0], "rtp.ssrc"));
    CHECK(row.at("texcast.timestamp") == rows[i / 9 * 9].at("rtp.timestamp"));
  }

  // 24 symbols of ceil((28 + 9600) / 20) bytes; the first packet is repeated.
  send(folder, "--size 192x100 --fec ultragrid-rs:20:24", "rs.pcap");
  rows = fields(folder, "rs.pcap",
                {"rtp.p_type", "ultragrid.fec.k", "ultragrid.fec.m", "ultragrid.fec.symbol", "ultragrid.fec.length",
                 "ultragrid.fec.inner", "ultragrid.offset", "ultragrid.width"});
  REQUIRE(rows.size() > 4 * 4);
  for (const Row& row : rows) {
    CHECK(row.at("rtp.p_type") == "27");
    CHECK(row.at("ultragrid.fec.k") + "+" + row.at("ultragrid.fec.m") == "20+4");
    CHECK(row.at("ultragrid.fec.symbol") == "482");
    CHECK(row.at("ultragrid.fec.length") == "11568");
    const bool first =
        row.at("ultragrid.offset").starts_with("0");  // the block's offset, then that of the inner header
    CHECK(row.at("ultragrid.fec.inner") == (first ? "9624" : ""));
    CHECK(row.at("ultragrid.width") == (first ? "192" : ""));
  }

  send(folder, "--size 192x100 --plain --key-file key --crypto ultragrid-gcm", "gcm.pcap");
  rows = fields(
      folder, "gcm.pcap",
      {"rtp.p_type", "ultragrid.crypto.mode", "ultragrid.crypto.length", "ultragrid.offset", "ultragrid.crypto.iv"});
  long bytes = 0;
  for (const Row& row : rows) {
    CHECK(row.at("rtp.p_type") == "24");
    CHECK(row.at("ultragrid.crypto.mode") == "5");
    CHECK(row.at("ultragrid.crypto.iv").size() == 32);
    bytes += number(row, "ultragrid.crypto.length");
  }
  CHECK(bytes == 4 * 9600);
}

TEST_CASE("the dissector names the version of the codec") {
  if (!have_tshark()) return;
  const Folder folder;
  send(folder, "--size 190x100 --format ycocg-bc4 --crf 30 --transform on", "transform.pcap");
  CHECK(number(fields(folder, "transform.pcap", {"texcast.coder_version"}).at(0), "texcast.coder_version") == 4);
  const std::string tree = tshark(folder, "-r transform.pcap -V -c 1");
  CHECK_MESSAGE(tree.find("Codec version: lossy, transform coding (4)") != std::string::npos, tree);
}

TEST_CASE("coded and encrypted streams in tshark, on any port, and many packets in one system call") {
  if (!have_tshark()) return;
  const Folder folder;
  send(folder, "--size 190x100 --fps 60000/1001", "compact.pcap");
  const std::vector<std::string> names = {"texcast.type",        "texcast.seq",           "texcast.frame",
                                          "texcast.packet",      "texcast.packets",       "texcast.flags.description",
                                          "texcast.payload.len", "texcast.width",         "texcast.height",
                                          "texcast.rate.frames", "texcast.rate.seconds",  "texcast.symbol.len",
                                          "texcast.parity",      "texcast.parity.number", "udp.length"};
  const std::vector<Row> rows = fields(folder, "compact.pcap", names);
  const long first_frame = number(rows.at(0), "texcast.frame"), first = number(rows[0], "texcast.seq");
  long data = 0, packet = 0, parity = 0, frame = -1;
  for (const Row& row : rows) {
    if (number(row, "texcast.frame") != (first_frame + frame) % (1 << 22)) packet = parity = 0, ++frame;
    CHECK(number(row, "texcast.frame") == (first_frame + frame) % (1 << 22));
    const bool described = row.at("texcast.flags.description") == "1" || row.at("texcast.flags.description") == "True";
    if (described) {
      CHECK(row.at("texcast.width") + "x" + row.at("texcast.height") == "190x100");
      CHECK(row.at("texcast.rate.frames") + "/" + row.at("texcast.rate.seconds") == "60000/1001");
    }
    if (row.at("texcast.type") == "4") {
      CHECK(number(row, "texcast.seq") == (first + data++) % 65536);
      CHECK(number(row, "texcast.packet") == packet++);
      CHECK(number(row, "texcast.payload.len") == number(row, "udp.length") - kUdpHeader - 24 - (described ? 40 : 0));
    } else {
      CHECK(row.at("texcast.type") == "5");
      CHECK(number(row, "texcast.packets") == packet);  // their number
      CHECK(number(row, "texcast.parity.number") == parity++);
      CHECK(number(row, "texcast.symbol.len") == number(row, "udp.length") - kUdpHeader - 68);
    }
  }
  CHECK(frame == 3);

  // The same on another port; without the heuristic nothing is recognised there, unless by "Decode As".
  const auto sent = datagrams(folder.file("compact.pcap"));
  {
    Rewriter elsewhere(folder.file("elsewhere.pcap"));
    for (const auto& datagram : sent) elsewhere.put(datagram, 40000);
    elsewhere.finish();
  }
  const std::vector<std::string> few = {"texcast.type", "texcast.seq"};
  const auto here = fields(folder, "compact.pcap", few);
  CHECK(fields(folder, "elsewhere.pcap", few) == here);
  CHECK(fields(folder, "elsewhere.pcap", few, "--disable-heuristic texcast_udp").at(0).at("texcast.type").empty());
  CHECK(fields(folder, "elsewhere.pcap", few, "--disable-heuristic texcast_udp -d udp.port==40000,texcast") == here);
  CHECK(fields(folder, "elsewhere.pcap", few, "--disable-heuristic texcast_udp -o texcast.ports:40000") == here);

  // Packets of one size in one datagram, as a capture shows them before the kernel splits them.
  for (const std::string how : {"--plain", "--plain --key-file key", ""}) {
    send(folder, "--size 320x180 --overwrite " + how, "whole.pcap");
    Rewriter trains(folder.file("trains.pcap"));
    std::vector<std::byte> train;
    size_t size = 0;
    for (const auto& datagram : datagrams(folder.file("whole.pcap"))) {
      const bool follows = !train.empty() && datagram.size() <= size && train.size() + datagram.size() < 60000 &&
                           train.size() % size == 0 && std::equal(&train[4], &train[12], &datagram[4]) &&
                           train[0] == datagram[0] && train[3] == datagram[3];
      if (!follows && !train.empty()) trains.put(std::exchange(train, {}));
      if (train.empty()) size = datagram.size();
      train.insert(train.end(), datagram.begin(), datagram.end());
    }
    trains.put(train);
    trains.finish();
    const auto flat = [&](const char* capture) {
      std::string all;
      for (const Row& row : fields(folder, capture, {"rtp.seq", "texcast.seq", "texcast.sealed.counter"}))
        for (const auto& [name, value] : row) all += value.empty() ? "" : name + value + ",";
      std::erase_if(all, [](char c) { return !(c >= '0' && c <= '9') && c != ','; });
      return all;
    };
    CAPTURE(how);
    if (how != "--plain") CHECK(datagrams(folder.file("trains.pcap")).size() > 4);
    CHECK(flat("trains.pcap") == flat("whole.pcap"));
  }

  send(folder, "--size 190x100 --key-file key", "sealed.pcap");
  const auto sealed = fields(folder, "sealed.pcap",
                             {"texcast.sealed.counter", "texcast.sealed.session", "texcast.sealed.ciphertext",
                              "udp.length", "texcast.sealed.began", "texcast.type"});
  for (size_t i = 0; i < sealed.size(); ++i) {
    CHECK(number(sealed[i], "texcast.sealed.counter") == long(i));
    CHECK(sealed[i].at("texcast.sealed.session") == sealed[0].at("texcast.sealed.session"));
    CHECK(long(sealed[i].at("texcast.sealed.ciphertext").size()) / 2 ==
          number(sealed[i], "udp.length") - kUdpHeader - 44);
    CHECK(sealed[i].at("texcast.type").empty());  // it is encrypted
  }
}

TEST_CASE("envelope repair and envelope NACKs in tshark") {
  if (!have_tshark()) return;
  const Folder folder;
  Rewriter capture(folder.file("a.pcap"));
  std::array<std::byte, transport::kMostEnvelopeListBytes> memory{};
  const std::vector<transport::CounterRange> ranges{{1000, 3}, {1010, 1}};
  const auto put = [&](transport::OwnType type, std::span<const transport::CounterRange> some) {
    capture.put(Bytes(memory).first(transport::write_envelope_list(memory, type, 0x1122334455667788, some)));
  };
  put(transport::OwnType::envelope_repair, {});
  put(transport::OwnType::envelope_request, ranges);
  capture.finish();
  const auto lists = fields(folder, "a.pcap",
                            {"texcast.type", "texcast.envelopes.session", "texcast.envelopes.base", "texcast.ranges",
                             "texcast.envelopes.first", "texcast.envelopes.count", "texcast.wrong"});
  REQUIRE(lists.size() == 2);
  CHECK(lists[0].at("texcast.type") == "11");
  CHECK(lists[0].at("texcast.ranges") == "0");
  CHECK(lists[1].at("texcast.type") == "12");
  CHECK(lists[1].at("texcast.envelopes.session") == "1122334455667788");
  CHECK(lists[1].at("texcast.envelopes.base") == "1000");
  CHECK(lists[1].at("texcast.envelopes.first") == "0,10");
  CHECK(lists[1].at("texcast.envelopes.count") == "3,1");
  CHECK(lists[1].at("texcast.wrong").empty());
}

TEST_CASE("NACKs, RTCP, audio and unknown packets in tshark") {
  if (!have_tshark()) return;
  const Folder folder;
  Rewriter capture(folder.file("a.pcap"));
  std::array<std::byte, 2000> memory{};
  const std::vector<transport::PacketRange> ranges{{5, 3}, {100, 1}};
  const size_t request = transport::write_request(memory, 0x11223344, 77, ranges);
  capture.put(Bytes(memory).first(request));
  const size_t tiles = transport::write_tile_request(memory, {.ssrc = 0x11223344, .newest = 99, .state = 98}, ranges);
  capture.put(Bytes(memory).first(tiles));
  const size_t all = transport::write_tile_request(memory, {.ssrc = 0x11223344, .newest = 99, .all = true}, {});
  capture.put(Bytes(memory).first(all));
  const auto raw = [&](std::initializer_list<int> bytes) {
    std::vector<std::byte> datagram;
    for (const int byte : bytes) datagram.push_back(static_cast<std::byte>(byte));
    capture.put(datagram);
  };
  raw({0x54, 0x43, 1, 99, 1, 2, 3});                                       // an unknown type
  raw({0x54, 0x43, 9, 4, 1, 2, 3});                                        // an unknown version
  raw({0x80, 203, 0, 1, 0x11, 0x22, 0x33, 0x44});                          // RTCP BYE
  raw({0x80, 0x80 | 21, 0,    1,    0, 0, 0, 2, 0,    0,    0,    3,       // RTP, UltraGrid's audio
       0x00, 0x40,      0x00, 0x07, 0, 0, 0, 0, 0,    0,    0,    4,       // channel 1, buffer 7; offset 0, length 4
       0x40, 0x00,      0xBB, 0x80, 0, 0, 0, 1, 0xAA, 0xBB, 0xCC, 0xDD});  // 16 bits, 48000; PCM
  const size_t pointer = transport::write_cursor(
      memory,
      {.ssrc = 1, .number = 2, .visible = true, .shape = 3, .x = -4, .y = 5, .captured = WallTime(nanoseconds(1))});
  capture.put(Bytes(memory).first(pointer));
  const std::array<std::byte, 3> part{std::byte{1}, std::byte{2}, std::byte{3}};
  const size_t shape = transport::write_cursor_shape_header(
      memory, {.ssrc = 1, .shape = 3, .part = 0, .width = 8, .height = 9, .hot_x = 1, .hot_y = 2, .total_bytes = 3});
  std::ranges::copy(part, memory.begin() + static_cast<std::ptrdiff_t>(shape));
  capture.put(Bytes(memory).first(shape + part.size()));
  const std::vector<uint32_t> sums{0xAABBCCDD, 0x00000001};
  const size_t added = transport::write_tile_sums(memory, {.ssrc = 0x11223344, .buffer_id = 97, .first_row = 5}, sums);
  capture.put(Bytes(memory).first(added));
  capture.finish();
  const auto added_up = fields(
      folder, "a.pcap",
      {"texcast.type", "texcast.frame", "texcast.sums.row", "texcast.sums.rows", "texcast.sums.sum", "_ws.col.Info"});
  REQUIRE(added_up.size() == 10);
  CHECK(added_up[9].at("texcast.type") == "10");
  CHECK(added_up[9].at("texcast.frame") == "97");
  CHECK(added_up[9].at("texcast.sums.row") == "5");
  CHECK(added_up[9].at("texcast.sums.rows") == "2");
  CHECK(added_up[9].at("texcast.sums.sum") == "0xaabbccdd,0x00000001");
  CHECK(added_up[9].at("_ws.col.Info").find("rows 5 to 6") != std::string::npos);
  const auto pointers = fields(
      folder, "a.pcap",
      {"texcast.pointer.number", "texcast.pointer.visible", "texcast.pointer.shape", "texcast.pointer.x",
       "texcast.pointer.y", "texcast.pointer.width", "texcast.pointer.height", "texcast.pointer.data", "_ws.col.Info"});
  REQUIRE(pointers.size() == 10);
  CHECK(number(pointers[7], "texcast.pointer.number") == 2);
  CHECK(number(pointers[7], "texcast.pointer.visible") == 1);
  CHECK(number(pointers[7], "texcast.pointer.shape") == 3);
  CHECK(number(pointers[7], "texcast.pointer.x") == -4);
  CHECK(number(pointers[7], "texcast.pointer.y") == 5);
  CHECK(pointers[7].at("_ws.col.Info").find("at -4, 5") != std::string::npos);
  CHECK(number(pointers[8], "texcast.pointer.width") == 8);
  CHECK(number(pointers[8], "texcast.pointer.height") == 9);
  CHECK(pointers[8].at("texcast.pointer.data") == "010203");
  const auto rows = fields(folder, "a.pcap",
                           {"texcast.type", "texcast.frame", "texcast.ranges", "texcast.range.first",
                            "texcast.range.count", "texcast.tiles.newest", "texcast.tiles.state", "texcast.version",
                            "rtcp.pt", "ultragrid_audio.channel", "ultragrid_audio.buffer", "ultragrid_audio.bits",
                            "ultragrid_audio.rate", "ultragrid_audio.tag", "ultragrid_audio.data", "_ws.col.Info"});
  REQUIRE(rows.size() == 10);
  CHECK(rows[0].at("texcast.type") == "3");
  CHECK(rows[0].at("texcast.frame") == "77");
  CHECK(rows[0].at("texcast.ranges") == "2");
  CHECK(rows[0].at("texcast.range.first") == "5,100");
  CHECK(rows[0].at("texcast.range.count") == "3,1");
  CHECK(rows[1].at("texcast.type") == "6");
  CHECK(rows[1].at("texcast.tiles.newest") == "99");
  CHECK(rows[1].at("texcast.tiles.state") == "98");
  CHECK(rows[1].at("texcast.range.first") == "5,100");
  CHECK(rows[2].at("_ws.col.Info").find("all tiles") != std::string::npos);
  CHECK(rows[3].at("_ws.col.Info") == "version 1, type 99");
  CHECK(rows[4].at("texcast.version") == "9");
  CHECK(rows[5].at("rtcp.pt") == "203");
  CHECK(rows[6].at("ultragrid_audio.channel") == "1");
  CHECK(rows[6].at("ultragrid_audio.buffer") == "7");
  CHECK(rows[6].at("ultragrid_audio.bits") == "16");
  CHECK(rows[6].at("ultragrid_audio.rate") == "48000");
  CHECK(number(rows[6], "ultragrid_audio.tag") == 1);
  CHECK(rows[6].at("ultragrid_audio.data") == "aabbccdd");
}

TEST_CASE("damaged datagrams of every kind in tshark never cause an error of the dissector") {
  if (!have_tshark()) return;
  const Folder folder;
  std::vector<std::vector<std::byte>> all;
  const auto take = [&](const std::string& path, size_t most) {
    for (const auto& datagram : datagrams(path))
      if (most-- > 0)
        all.push_back(datagram);
      else
        break;
  };
  for (const std::string how : {"--plain", "", "--key-file key", "--fec ultragrid-ldgm:64:64:5",
                                "--key-file key --crypto ultragrid-cbc --fec ultragrid-rs:20:24"}) {
    send(folder, "--size 192x100 --overwrite " + how, "a.pcap");
    take(folder.file("a.pcap"), 24);
  }
  take(data("ultragrid_fec.pcap"), 90);
  std::array<std::byte, 2000> memory{};
  const std::vector<transport::PacketRange> ranges{{5, 3}, {100, 1}};
  for (int i = 0; i < 4; ++i) {
    const size_t bytes = i % 2 ? transport::write_cursor(memory, {.ssrc = 1})
                               : transport::write_cursor_shape_header(memory, {.ssrc = 1, .shape = 1}) + 40;
    all.emplace_back(memory.begin(), memory.begin() + static_cast<std::ptrdiff_t>(bytes));
  }
  for (int i = 0; i < 4; ++i) {
    const std::vector<uint32_t> sums(20, 7);
    const size_t bytes = transport::write_tile_sums(memory, {.ssrc = 1, .buffer_id = 2}, sums);
    all.emplace_back(memory.begin(), memory.begin() + static_cast<std::ptrdiff_t>(bytes));
  }
  for (int i = 0; i < 8; ++i) {
    const size_t bytes = i % 2 ? transport::write_request(memory, 1, 2, ranges)
                               : transport::write_tile_request(memory, {.ssrc = 1, .newest = 3, .all = true}, ranges);
    all.emplace_back(memory.begin(), memory.begin() + bytes);
  }
  std::mt19937 random(7);
  Rewriter mutated(folder.file("b.pcap"));
  for (int i = 0; i < 4000; ++i) {
    auto datagram = all[random() % all.size()];
    const size_t head = std::min<size_t>(datagram.size(), 110);
    for (auto changes = random() % 6; changes > 0; --changes)
      datagram[random() % head] = static_cast<std::byte>(random() % 4 == 0 ? 0xFF : random());
    if (i % 3 == 0) datagram.resize(random() % (i % 2 ? head : datagram.size()) + 1);
    if (i % 16 == 0) datagram[3] = static_cast<std::byte>(random() % 20);  // any type
    mutated.put(datagram, static_cast<uint16_t>(i % 4 == 0 ? 40000 + i : 5004));
  }
  mutated.finish();
  const std::string text =
      tshark(folder, "-r b.pcap -V > b.txt; grep -c '^Frame ' b.txt; grep -i -m 5 -B 30 'lua error' b.txt || true");
  CHECK(text == "4000\n");
}

TEST_CASE("audio on any port in tshark, by its header, also encrypted, and nothing else with its payload type") {
  if (!have_tshark()) return;
  const Folder folder;
  Rewriter capture(folder.file("a.pcap"));
  const std::string rtp{"\x80\x95\0\1\0\0\0\2\0\0\0\3", 12};                       // payload type 21 and the marker
  const std::string header{"\0\0\0\7\0\0\0\0\0\0\0\4\x40\0\xBB\x80\0\0\0\1", 20};  // 4 bytes, 16 bits, 48000, PCM
  uint16_t port = 41000;  // a new one each time, because the dissector remembers ports
  const auto put = [&](const std::string& bytes) { capture.put(as_bytes_of(bytes), port++); };
  put(rtp + header + "abcd");
  std::string changed = rtp;
  changed[1] = static_cast<char>(0x80 | 25);
  put(changed + header + std::string("\5\0\0\0\4\0\0\0", 8) + std::string(16, 'i') + "secret and its tag..");
  changed = header;
  changed[13] = '\3';  // 244608 Hz
  put(rtp + changed + "abcd");
  put(rtp + header + "abcde");  // longer than its header says
  capture.finish();
  const auto rows =
      fields(folder, "a.pcap", {"ultragrid_audio.rate", "ultragrid_audio.data", "ultragrid.crypto.mode", "rtp.p_type"});
  REQUIRE(rows.size() == 4);
  CHECK(rows[0].at("ultragrid_audio.rate") == "48000");
  CHECK(rows[0].at("ultragrid_audio.data") == "61626364");
  CHECK(rows[1].at("rtp.p_type") == "25");
  CHECK(rows[1].at("ultragrid.crypto.mode") == "5");
  CHECK(rows[1].at("ultragrid_audio.data").empty());
  for (const size_t i : {2, 3}) CHECK(rows[i].at("rtp.p_type").empty());
}
