// Everything that a stock UltraGrid may send, received by a session: payload types, tiles, duplicates, wrapping
// counters, losses.
#include <doctest/doctest.h>
#include <malloc.h>

#include "transport/receive_session.h"
#include "ultragrid_sender.h"

using namespace texcast;
using namespace texcast::transport;
using namespace texcast::transport::test;

namespace {

constexpr FecShape kNoFec{};
constexpr FecShape kRs{.scheme = FecScheme::reed_solomon, .k = 8, .m = 4, .c = 0, .seed = 0};
constexpr FecShape kLdgm{.scheme = FecScheme::ldgm, .k = 64, .m = 48, .c = 5, .seed = 1};

UltraGridFrame small(uint32_t seed, const FecShape& fec = kNoFec) {
  UltraGridFrame frame{.tiles = {random_bytes(kSmallFrame, seed)}};
  frame.fec = fec;
  frame.first_twice = fec.scheme != FecScheme::none;
  return frame;
}

std::shared_ptr<const WireKeys> some_key(int which) {
  WireKeys::UltraGridKey key{};
  key[3] = static_cast<std::byte>(which);
  return WireKeys::of({}, key);
}

// Puts all datagrams of a frame; returns their number.
size_t put_all(Bench& bench, const std::vector<Datagram>& packets) {
  for (const Datagram& packet : packets) bench.put(packet);
  return packets.size();
}

uint64_t all_of(const ReceiveCounters& c) {
  return c.packets + c.duplicate + c.late + c.malformed + c.foreign + c.surplus + c.beside + c.refused;
}

// Composes tiles of the same size cell by cell: the oracle for composing.
std::vector<std::byte> picture_of(const std::vector<std::vector<std::byte>>& tiles, size_t columns, size_t row_bytes) {
  const size_t rows = tiles[0].size() / row_bytes;
  std::vector<std::byte> picture;
  for (size_t y = 0; y < tiles.size() / columns * rows; ++y)
    for (size_t x = 0; x < columns * row_bytes; ++x)
      picture.push_back(tiles[y / rows * columns + x / row_bytes][y % rows * row_bytes + x % row_bytes]);
  return picture;
}

}  // namespace

TEST_CASE("UltraGrid's payload types frame by frame, with wrapping counters: every frame at its last data byte") {
  const FecShape shapes[] = {kNoFec, kRs, kLdgm, kRs, kNoFec, kLdgm, kNoFec, kRs};
  UltraGridSender sender;
  Bench bench;
  uint64_t put = 0, data = 0;
  for (uint32_t i = 0; i < 8; ++i) {
    CAPTURE(i);
    const auto frame = small(i, shapes[i]);
    const auto packets = sender.send(frame);
    const bool fec = shapes[i].scheme != FecScheme::none;
    // The frame's last byte precedes the padding, which precedes the parity.
    const size_t needed = (kSmallFrame + (fec ? 28 : 0) + frame.netto - 1) / frame.netto;
    for (size_t p = 0; p < packets.size(); ++p) {
      bench.put(packets[p]);
      CHECK(bench.shown.size() == i + (p + 1 >= needed ? 1 : 0));
    }
    put += packets.size();
    data += needed;
    REQUIRE(bench.shown.size() == i + 1);
    CHECK(bench.shown[i].bytes == frame.tiles[0]);
    CHECK(bench.shown[i].frame.stream == StreamDesc{.fourcc = kFourCcDxt1, .width = 64, .height = 64, .fps = 60});
    CHECK(bench.shown[i].frame.new_stream == (i == 0));
    CHECK(bench.shown[i].frame.number == i);
    CHECK(bench.shown[i].frame.times.pts.count() == doctest::Approx(i * 1e9 / 60).epsilon(1e-3));
    bench.pass(16ms);
  }
  const ReceiveCounters& c = bench.counters();
  CHECK(c.packets == data);
  CHECK(c.duplicate == 5);  // first packets
  CHECK(c.surplus == put - data - 5);
  CHECK(c.frames_complete == 8);
  CHECK(c.frames_recovered + c.recovered_parity + c.lost + c.late + c.malformed + c.foreign + c.refused == 0);
}

TEST_CASE("a stream whose first frame has FEC waits for its marker or a moment's silence, because tiles may follow") {
  UltraGridSender sender;
  const auto frame = small(1, kRs);
  const auto packets = sender.send(frame);
  Bench bench;
  SUBCASE("marker") {
    put_all(bench, packets);
    REQUIRE(bench.shown.size() == 1);
  }
  SUBCASE("silence") {
    for (size_t i = 0; i + 2 < packets.size(); ++i) bench.put(packets[i]);
    CHECK(bench.shown.empty());
    bench.pass(3ms);
    REQUIRE(bench.shown.size() == 1);
  }
  CHECK(bench.shown[0].bytes == frame.tiles[0]);
  CHECK(bench.counters().frames_complete == 1);
}

TEST_CASE("UltraGrid's Reed-Solomon: complete with any k symbols, at the packet that brings the last of them") {
  UltraGridSender sender;
  Bench bench;
  put_all(bench, sender.send(small(0)));
  for (uint32_t i = 1; i <= 6; ++i) {
    CAPTURE(i);
    auto frame = small(i, kRs);
    frame.first_twice = false;
    frame.netto = 260;  // (28 + 2048) / 8 rounded up: a packet is a symbol
    auto packets = sender.send(frame);
    REQUIRE(packets.size() == 12);
    // Each frame loses four other packets, including the first one (with the header).
    for (size_t lost : {0u, 2u, 3u, 7u}) packets[(lost + i) % 12].clear();
    std::erase_if(packets, [](const Datagram& p) { return p.empty(); });
    for (size_t p = 0; p < packets.size(); ++p) {
      CHECK(bench.shown.size() == i);
      bench.put(packets[i % 2 ? p : packets.size() - 1 - p]);
    }
    REQUIRE(bench.shown.size() == i + 1);
    CHECK(bench.shown[i].bytes == frame.tiles[0]);
    CHECK(bench.shown[i].frame.concealed_bytes == 0);
    bench.pass(16ms);
  }
  const ReceiveCounters& c = bench.counters();
  CHECK(c.frames_complete == 7);
  CHECK(c.frames_recovered == 6);
  // The data packets among the four lost ones of each frame.
  CHECK(c.recovered_parity == 3 + 3 + 3 + 3 + 3 + 2);
  CHECK(c.packets + c.surplus == 11 + 6 * 8);
  CHECK(c.lost + c.duplicate + c.late + c.malformed <= 4 * 6);
}

TEST_CASE("beyond recovery: received bytes are used, the rest, even the header, is from the previous frame") {
  for (const FecShape& shape : {kRs, kLdgm}) {
    for (const bool first_lost : {false, true}) {
      CAPTURE(shape.k);
      CAPTURE(first_lost);
      UltraGridSender sender;
      Bench bench;
      auto before = small(1, shape), frame = small(2, shape), after = small(3, shape);
      for (auto* f : {&before, &frame, &after}) f->first_twice = false;
      put_all(bench, sender.send(before));
      REQUIRE(bench.shown.size() == 1);
      const auto packets = sender.send(frame);
      // Only data packets arrive, and not all.
      const size_t data = (kSmallFrame + 28) / frame.netto;
      const size_t lost = first_lost ? 0 : 3;
      for (size_t i = 0; i < data; ++i)
        if (i != lost) bench.put(packets[i]);
      put_all(bench, sender.send(after));
      REQUIRE(bench.shown.size() == 3);
      auto expected = frame.tiles[0];
      const auto fill = [&](size_t begin, size_t end) {  // of the block, in 16-byte blocks of the frame
        begin = begin < 28 ? 0 : (begin - 28) / 16 * 16;
        end = std::min<size_t>((end - 28 + 15) / 16 * 16, kSmallFrame);
        std::copy_n(before.tiles[0].begin() + static_cast<std::ptrdiff_t>(begin), end - begin,
                    expected.begin() + static_cast<std::ptrdiff_t>(begin));
        return end - begin;
      };
      const size_t filled = fill(lost * 200, lost * 200 + 200) + fill(data * 200, kSmallFrame + 28);
      CHECK(bench.shown[1].bytes == expected);
      CHECK(bench.shown[1].frame.concealed_bytes == filled);
      CHECK(bench.shown[2].bytes == after.tiles[0]);
      CHECK(bench.counters().frames_concealed == 1);
      CHECK(bench.counters().frames_recovered == 0);
    }
  }
}

TEST_CASE("a block without any known header is a lost frame, not a picture") {
  UltraGridSender sender;
  Bench bench;
  const auto packets = sender.send(small(1, kRs));
  bench.put(packets[3]);
  bench.put(packets[4]);
  bench.pass(100ms);
  CHECK(bench.shown.empty());
  CHECK(bench.counters().frames_lost == 1);
  CHECK_FALSE(bench.session.next_deadline());
}

namespace {

CryptoChoice choice_of(UltraGridMode mode) {
  for (const CryptoChoice choice : kOpenedCryptoChoices)
    if (ultragrid_mode(choice) == mode) return choice;
  return CryptoChoice::none;
}

}  // namespace

TEST_CASE("UltraGrid's LDGM: losses are recovered, also with ciphers") {
  for (const bool encrypted : {false, true}) {
    UltraGridCipher cipher(*some_key(1));
    UltraGridSender sender;
    if (encrypted) sender.cipher = &cipher;
    Bench bench({.keys = encrypted ? some_key(1) : nullptr, .cipher = choice_of(sender.mode)});
    put_all(bench, sender.send(small(0)));
    std::mt19937 random(5);
    size_t whole = 0;
    for (uint32_t i = 1; i <= 20; ++i) {
      const auto frame = small(i, kLdgm);
      const auto packets = sender.send(frame);
      for (const Datagram& packet : packets)
        if (random() % 10 != 0) bench.put(packet);
      bench.pass(16ms);
      REQUIRE(bench.shown.size() == i + 1);
      if (bench.shown[i].bytes == frame.tiles[0]) ++whole;
    }
    CHECK(whole >= 19);  // 48 parity symbols for 64, 10 % lost
    CHECK(bench.counters().frames_complete == whole + 1);
    CHECK(bench.counters().frames_recovered > 10);
    CHECK(bench.counters().recovered_parity > 10);
    CHECK(bench.counters().refused == 0);
  }
}

TEST_CASE("UltraGrid's LDGM: a frame is delivered before all of its parity has arrived") {
  UltraGridSender sender;
  Bench bench;
  put_all(bench, sender.send(small(0)));
  const auto frame = small(1, kLdgm);
  auto packets = sender.send(frame);
  packets.erase(packets.begin() + 4);
  size_t needed = 0;
  for (const Datagram& packet : packets) {
    if (bench.shown.size() == 1) ++needed;
    bench.put(packet);
  }
  REQUIRE(bench.shown.size() == 2);
  CHECK(bench.shown[1].bytes == frame.tiles[0]);
  CHECK(bench.counters().frames_recovered == 1);
  // 36-byte symbols: 64 are 12 packets; the lost one contained 7. Neither only after the last of 20 nor after 12.
  CHECK(needed >= 12);
  CHECK(needed <= 17);
}

TEST_CASE("every cipher with every FEC; another key, no key and unencrypted packets are refused") {
  const UltraGridMode modes[] = {UltraGridMode::ctr, UltraGridMode::cfb, UltraGridMode::ecb, UltraGridMode::cbc,
                                 UltraGridMode::gcm};
  UltraGridCipher cipher(*some_key(1));
  UltraGridSender sender;
  uint32_t seed = 0;
  for (const UltraGridMode mode : modes) {
    const CryptoChoice choice = choice_of(mode);
    Bench bench({.keys = some_key(1), .cipher = choice}), other({.keys = some_key(2), .cipher = choice}), none;
    Bench strict({.keys = some_key(1)});
    uint64_t put = 0;
    const uint32_t before = seed;
    for (const FecShape& shape : {kNoFec, kRs, kLdgm}) {
      sender.mode = mode;
      sender.cipher = &cipher;
      const auto frame = small(++seed, shape);
      const auto packets = sender.send(frame);
      put += put_all(bench, packets);
      put_all(other, packets);
      put_all(none, packets);
      put_all(strict, packets);
      REQUIRE(bench.shown.size() == seed - before);
      CHECK(bench.shown.back().bytes == frame.tiles[0]);
    }
    CHECK(bench.counters().refused == 0);
    CHECK(all_of(bench.counters()) == put);
    CHECK(other.counters().refused == put);
    CHECK(none.counters().refused == put);
    CHECK(strict.counters().refused == put);  // only texcast's own
    CHECK(strict.session.last_refusal().cipher == name(choice));
    CHECK(other.shown.size() + none.shown.size() == 0);
    sender.cipher = nullptr;
    const size_t clear = put_all(bench, sender.send(small(99)));
    CHECK(bench.counters().refused == clear);
    CHECK(bench.shown.size() == seed - before);
  }
}

TEST_CASE("mult: every copy is a duplicate, and recovers what another copy lost") {
  UltraGridSender sender;
  Bench bench;
  for (uint32_t i = 0; i < 4; ++i) {
    auto frame = small(i);
    frame.copies = 3;
    const auto packets = sender.send(frame);
    REQUIRE(packets.size() == 33);
    for (size_t p = 0; p < packets.size(); ++p) {
      bench.pass(1ms);  // missing packets arrive later than the reorder grace
      if (i > 0 && (p % 11 == 4 || p == 10) && p < 22) continue;
      bench.put(packets[p]);
    }
    REQUIRE(bench.shown.size() == i + 1);
    CHECK(bench.shown[i].bytes == frame.tiles[0]);
  }
  CHECK(bench.counters().packets == 44);
  CHECK(bench.counters().duplicate == 22 + 3 * (22 - 3));
  CHECK(bench.counters().frames_concealed == 0);
  CHECK(bench.counters().malformed == 0);
}

TEST_CASE("any order, duplicates, and pairs of frames") {
  UltraGridSender sender;
  Bench bench;
  put_all(bench, sender.send(small(0)));
  std::mt19937 random(3);
  uint32_t next = 1;
  for (const FecShape& shape : {kNoFec, kRs, kLdgm}) {
    CAPTURE(shape.k);
    const auto one = small(next, shape), two = small(next + 1, shape);
    auto packets = sender.send(one);
    const auto more = sender.send(two);
    packets.insert(packets.end(), more.begin(), more.end());
    packets.insert(packets.end(), more.begin(), more.end());
    std::ranges::shuffle(packets, random);
    put_all(bench, packets);
    bench.pass(16ms);
    REQUIRE(bench.shown.size() == next + 2);
    // The first may be given up for the second, which was complete earlier.
    if (bench.shown[next].frame.concealed_bytes == 0) CHECK(bench.shown[next].bytes == one.tiles[0]);
    CHECK(bench.shown[next + 1].bytes == two.tiles[0]);
    next += 2;
  }
  CHECK(bench.counters().malformed == 0);
}

TEST_CASE("tiles are composed, from the first frame on; rows of blocks or of pixels") {
  struct Row {
    const char* fourcc;
    size_t tiles, columns;
    uint32_t width, height;  // of a tile
    size_t row_bytes, bytes;
  };
  const Row rows[] = {{"DXT1", 2, 2, 64, 64, 128, 2048}, {"DXT5", 3, 3, 32, 20, 128, 640},
                      {"DXTY", 4, 2, 32, 64, 64, 1024},  {"UYVY", 4, 2, 30, 21, 60, 1260},
                      {"RGBA", 2, 2, 17, 19, 68, 1292},  {"RGB2", 3, 3, 13, 30, 39, 1170},
                      {"BGR2", 4, 2, 33, 10, 99, 990}};
  for (const Row& row : rows) {
    for (const FecShape& shape : {kNoFec, kRs}) {
      CAPTURE(row.fourcc);
      CAPTURE(shape.k);
      UltraGridSender sender;
      Bench bench;
      for (uint32_t i = 0; i < 3; ++i) {
        UltraGridFrame frame{.fourcc = row.fourcc, .width = row.width, .height = row.height, .fec = shape};
        for (size_t t = 0; t < row.tiles; ++t)
          frame.tiles.push_back(random_bytes(row.bytes, static_cast<uint32_t>(10 * i + t)));
        auto packets = sender.send(frame);
        if (i == 2) std::ranges::reverse(packets);
        put_all(bench, packets);
        REQUIRE(bench.shown.size() == i + 1);
        CHECK(bench.shown[i].bytes == picture_of(frame.tiles, row.columns, row.row_bytes));
        CHECK(bench.shown[i].frame.stream.width == static_cast<int>(row.width * row.columns));
        CHECK(bench.shown[i].frame.stream.height == static_cast<int>(row.height * row.tiles / row.columns));
        CHECK(bench.shown[i].frame.new_stream == (i == 0));
        bench.pass(16ms);
      }
      CHECK(bench.counters().frames_complete == 3);
      CHECK(bench.counters().foreign + bench.counters().malformed + bench.counters().late == 0);
    }
  }
}

TEST_CASE("a lost packet of a tile costs its own blocks, a lost tile is that of the previous frame") {
  UltraGridSender sender;
  Bench bench;
  std::vector<UltraGridFrame> frames(3);
  for (uint32_t i = 0; i < 3; ++i) {
    for (uint32_t t = 0; t < 4; ++t) frames[i].tiles.push_back(random_bytes(kSmallFrame, 10 * i + t));
    frames[i].netto = 208;  // ten packets per tile, whole blocks
    auto packets = sender.send(frames[i]);
    REQUIRE(packets.size() == 40);
    if (i == 1) packets.erase(packets.begin() + 12);                        // of tile 1, bytes 416 to 624
    if (i == 2) packets.erase(packets.begin() + 30, packets.begin() + 40);  // all of tile 3, with the marker
    put_all(bench, packets);
    bench.pass(i == 2 ? 100ms : 16ms);
  }
  REQUIRE(bench.shown.size() == 3);
  auto tiles = frames[1].tiles;
  std::copy_n(frames[0].tiles[1].begin() + 416, 208, tiles[1].begin() + 416);
  CHECK(bench.shown[1].bytes == picture_of(tiles, 2, 128));
  CHECK(bench.shown[1].frame.concealed_bytes == 208);
  // Block rows of 256 bytes, their right half: 416..512 of the tile is row 3, 512..624 is row 4.
  REQUIRE(bench.shown[1].frame.concealed.size() == 2);
  tiles = frames[2].tiles;
  tiles[3] = frames[1].tiles[3];
  CHECK(bench.shown[2].bytes == picture_of(tiles, 2, 128));
  CHECK(bench.shown[2].frame.concealed_bytes == kSmallFrame);
  CHECK_FALSE(bench.shown[2].frame.new_stream);
}

TEST_CASE("tiles with FEC: one beyond recovery, or lost, does not change the picture's size") {
  UltraGridSender sender;
  Bench bench;
  std::vector<UltraGridFrame> frames(4);
  for (uint32_t i = 0; i < 4; ++i) {
    frames[i].fec = kRs;
    for (uint32_t t = 0; t < 2; ++t) frames[i].tiles.push_back(random_bytes(kSmallFrame, 10 * i + t));
    auto packets = sender.send(frames[i]);
    REQUIRE(packets.size() == 32);
    if (i == 1) packets.erase(packets.begin() + 16, packets.end());        // all of tile 1
    if (i == 2) packets.erase(packets.begin() + 6, packets.begin() + 16);  // of tile 0 from its seventh packet on
    put_all(bench, packets);
    bench.pass(i == 1 ? 100ms : 16ms);
  }
  REQUIRE(bench.shown.size() == 4);
  CHECK(bench.counters().streams == 1);
  CHECK(bench.shown[1].bytes == picture_of({frames[1].tiles[0], frames[0].tiles[1]}, 2, 128));
  auto tile = frames[1].tiles[0];
  std::copy_n(frames[2].tiles[0].begin(), (6 * 200 - 28) / 16 * 16, tile.begin());
  CHECK(bench.shown[2].bytes == picture_of({tile, frames[2].tiles[1]}, 2, 128));
  CHECK(bench.shown[3].bytes == picture_of(frames[3].tiles, 2, 128));
}

TEST_CASE("invalid arrangements: five tiles, tiles of two sizes, tiles of an unknown layout") {
  UltraGridSender sender;
  Bench bench;
  SUBCASE("five") {
    for (uint32_t i = 0; i < 2; ++i) {
      UltraGridFrame frame;
      for (uint32_t t = 0; t < 5; ++t) frame.tiles.push_back(random_bytes(kSmallFrame, t));
      put_all(bench, sender.send(frame));
      bench.pass(100ms);
    }
    CHECK(bench.counters().foreign == 2 * 11);
  }
  SUBCASE("two sizes") {
    UltraGridFrame frame{.tiles = {random_bytes(kSmallFrame, 1), random_bytes(kSmallFrame, 2)}};
    auto packets = sender.send(frame);
    for (size_t i = 11; i < 22; ++i) packets[i][25] = std::byte{32};  // width
    put_all(bench, packets);
    CHECK(bench.counters().malformed == 11);
  }
  SUBCASE("unknown") {
    UltraGridFrame frame{.tiles = {random_bytes(kSmallFrame, 1), random_bytes(kSmallFrame, 2)}, .fourcc = "JPEG"};
    put_all(bench, sender.send(frame));
    CHECK(bench.counters().foreign == 11);
  }
  bench.pass(100ms);
  CHECK(bench.shown.empty());
  CHECK(bench.counters().frames_lost > 0);
}

TEST_CASE("fewer tiles than before: according to the marker; more: expected from the next frame on") {
  UltraGridSender sender;
  Bench bench;
  const auto send = [&](uint32_t seed, uint32_t tiles) {
    UltraGridFrame frame;
    for (uint32_t t = 0; t < tiles; ++t) frame.tiles.push_back(random_bytes(kSmallFrame, seed + t));
    put_all(bench, sender.send(frame));
    bench.pass(16ms);
    return bench.shown.empty() ? 0 : bench.shown.back().frame.stream.width;
  };
  CHECK(send(1, 2) == 128);
  CHECK(send(2, 1) == 64);
  CHECK(send(3, 1) == 64);
  send(4, 2);  // assumed to be one tile: a complete frame does not wait
  CHECK(send(5, 2) == 128);
  CHECK(bench.counters().frames_concealed == 0);
}

TEST_CASE("a sender that takes longer for a frame than its rate says is waited for while it sends") {
  UltraGridSender sender;  // announces 60 a second
  Bench bench;
  for (uint32_t i = 0; i < 2; ++i) {
    const auto frame = small(i);
    for (const Datagram& packet : sender.send(frame)) {
      bench.put(packet);
      bench.pass(30ms);
    }
    REQUIRE(bench.shown.size() == i + 1);
    CHECK(bench.shown[i].bytes == frame.tiles[0]);
  }
  CHECK(bench.counters().frames_concealed == 0);
}

TEST_CASE("a restarted sender is shown, although its time stamps and numbers are below the old ones") {
  UltraGridSender first, second;
  first.timestamp = 0x80000000;
  second.ssrc = 77;
  second.timestamp = 0x1000;
  second.buffer = 5;
  Bench bench;
  for (uint32_t i = 0; i < 3; ++i) put_all(bench, first.send(small(i)));
  bench.pass(300ms);
  for (uint32_t i = 3; i < 6; ++i) put_all(bench, second.send(small(i, i == 4 ? kRs : kNoFec)));
  REQUIRE(bench.shown.size() == 6);
  CHECK(bench.shown[3].frame.new_stream);
  for (uint32_t i = 0; i < 6; ++i) CHECK(bench.shown[i].bytes == random_bytes(kSmallFrame, i));
  CHECK(bench.counters().streams == 2);
  CHECK(bench.counters().malformed + bench.counters().foreign == 0);
}

TEST_CASE("a sender that restarts at once: none of its packets is lost when it takes over, or if it ends first") {
  UltraGridSender first, second;
  second.ssrc = 77;
  second.timestamp = 0x1000;
  second.buffer = 5;
  first.rate = second.rate = 5u << 19 | 1u << 15;  // 5 a second: the required silence is 800 ms
  Bench bench;
  for (uint32_t i = 0; i < 2; ++i) put_all(bench, first.send(small(i)));
  uint32_t sent = 2;
  const bool ends_first = [&] {
    bool ends = false;
    SUBCASE("it goes on") {}
    SUBCASE("it ends") { ends = true; }
    return ends;
  }();
  for (; sent < (ends_first ? 4u : 8u); ++sent) {
    bench.pass(200ms);
    put_all(bench, second.send(small(sent, sent == 3 ? kRs : kNoFec)));
    CHECK(bench.shown.size() == (sent < 5 ? 2 : sent + 1));  // 200, 400, 600 ms: the first may still be active
  }
  if (ends_first) bench.pass(10s);
  REQUIRE(bench.shown.size() == sent);
  for (uint32_t i = 0; i < sent; ++i) CHECK(bench.shown[i].bytes == random_bytes(kSmallFrame, i));
  CHECK(bench.shown[2].frame.new_stream);
  CHECK(bench.shown[3].frame.number == 1);
  const ReceiveCounters& c = bench.counters();
  CHECK(c.frames_complete == sent);
  CHECK(c.foreign + c.malformed + c.late + c.lost + c.frames_concealed + c.frames_unread == 0);
  CHECK_FALSE(bench.session.next_deadline());
}

TEST_CASE("interlacing and the quirk of slow rates are parsed as intended") {
  UltraGridSender sender;
  Bench bench;
  sender.rate = 3u << 29 | 5u << 19 | 1u << 15 | 1u << 14;  // merged; 5 a second, flagged as 5/1.001
  put_all(bench, sender.send(small(1)));
  REQUIRE(bench.shown.size() == 1);
  CHECK(bench.shown[0].frame.stream.interlacing == 3);
  CHECK(bench.shown[0].frame.stream.fps == 5);
}

TEST_CASE("invalid FEC headers are refused before anything is allocated") {
  UltraGridSender sender;
  const auto packets = sender.send(small(1, kRs));
  const auto ldgm = sender.send(small(1, kLdgm));
  struct Row {
    const char* name;
    bool is_ldgm;
    size_t offset;
    uint32_t value;
  };
  const auto word3 = [](uint32_t k, uint32_t m, uint32_t c) { return k << 19 | m << 6 | c; };
  const Row rows[] = {{"k 0", false, 24, word3(0, 12, 0)},
                      {"m 0", false, 24, word3(12, 0, 0)},
                      {"k + m 256", false, 24, word3(200, 56, 0)},
                      {"length no multiple of k + m", false, 20, 12 * 260 + 1},
                      {"symbols too small for a header", false, 20, 12},
                      {"4 GiB", false, 20, 0xFFFFFFFC},
                      {"256 MiB and more", false, 20, 12u * ((256u << 20) / 12 + 1)},
                      {"offset at the end", false, 16, 12 * 260},
                      {"LDGM: k 1", true, 24, word3(1, 111, 5)},
                      {"LDGM: more ones in a column than rows", true, 24, word3(110, 2, 5)},
                      {"LDGM: c 0", true, 24, word3(64, 48, 0)},
                      {"LDGM: seed 0", true, 28, 0},
                      {"LDGM: seed beyond the generator's", true, 28, 0x7FFFFFFF}};
  for (const Row& row : rows) {
    CAPTURE(row.name);
    Bench bench;
    Datagram packet = (row.is_ldgm ? ldgm : packets)[1];
    store_be32(packet, row.offset, row.value);
    const uint64_t before = allocations();
    bench.session.on_datagram(packet, bench.now, bench.wall());
    CHECK(allocations() == before);
    CHECK(bench.counters().malformed == 1);
    CHECK_FALSE(bench.session.next_deadline());
  }
}

TEST_CASE("packets that each claim a huge frame take no more memory than three frames may have") {
  constexpr size_t kLargest = size_t{64} << 20;
  UltraGridSender sender;
  Bench bench({.max_frame_bytes = kLargest});
  const struct mallinfo2 before = mallinfo2();
  uint64_t put = 0;
  for (uint32_t i = 0; i < 100; ++i) {
    UltraGridFrame frame{.tiles = {random_bytes(200, i)}, .width = 8192, .height = 8192};
    auto packets = sender.send(frame);
    for (Datagram& packet : packets) {
      store_be32(packet, 20, kLargest);
      packet[13] = std::byte{0};  // frames with adjacent numbers
      packet[14] = std::byte{1};
      packet[15] = static_cast<std::byte>(i);
      put += put_all(bench, {packet, packet});
    }
  }
  bench.pass(10s);
  const struct mallinfo2 after = mallinfo2();
  CHECK(after.uordblks + after.hblkhd <= before.uordblks + before.hblkhd + 3 * kLargest + (1 << 20));
  CHECK(bench.counters().malformed > 0);
  CHECK(all_of(bench.counters()) == put);
  CHECK(bench.shown.empty());  // a packet of 200 bytes is no picture of 64 MiB
}
