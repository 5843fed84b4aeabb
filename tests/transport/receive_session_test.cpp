// The session packet by packet: what it delivers, and that every datagram is counted under exactly one cause.
#include "transport/receive_session.h"

#include <doctest/doctest.h>

#include <functional>

#include "../times.h"
#include "support.h"
#include "transport/packet.h"

using namespace texcast;
using namespace texcast::transport;
using namespace texcast::transport::test;

namespace {

constexpr WallTime kFirst{1'600'000'000s};  // when the first frame was sent

// `count` frames of a small stream as datagrams, and their bytes.
struct Stream {
  explicit Stream(int count, const PacketizerSettings& settings = small_settings(), size_t bytes = kSmallFrame) {
    PlainPacketizer packetizer(settings);
    for (int i = 0; i < count; ++i) {
      frames.push_back(random_bytes(bytes, settings.ssrc * 1000 + static_cast<uint32_t>(i)));
      FrameTimes times = pts_only(nanoseconds(1s) * i / 60);
      times.available = kFirst + nanoseconds(1s) * i / 60;
      times.encoded = times.available + 2ms;
      times.sent = times.encoded + 100us;
      packets.push_back(datagrams(packetizer, frames.back(), times));
    }
  }
  std::vector<std::vector<std::byte>> frames;
  std::vector<std::vector<Datagram>> packets;
};

// Counters as a comparable line; `packets` etc. by name, for readable failures.
std::string line(const ReceiveCounters& c) {
  std::string text;
  const auto add = [&](const char* name, uint64_t value) {
    if (value) text += std::string(text.empty() ? "" : " ") + name + "=" + std::to_string(value);
  };
  add("packets", c.packets);
  add("lost", c.lost);
  add("reordered", c.reordered);
  add("duplicate", c.duplicate);
  add("late", c.late);
  add("malformed", c.malformed);
  add("foreign", c.foreign);
  add("refused", c.refused);
  add("complete", c.frames_complete);
  add("concealed", c.frames_concealed);
  add("frames_lost", c.frames_lost);
  add("unread", c.frames_unread);
  add("streams", c.streams);
  return text;
}

Datagram changed(Datagram datagram, size_t offset, int value) {
  datagram[offset] = static_cast<std::byte>(value);
  return datagram;
}

}  // namespace

TEST_CASE("a complete frame is delivered at its last byte, with its description and times") {
  PacketizerSettings settings = small_settings();
  settings.stream.width = 63;
  settings.stream.height = 61;
  settings.stream.texture_format = 2;
  settings.stream.matrix = 2;
  settings.stream.range = 0;
  settings.stream.primaries = 9;
  settings.stream.transfer = 16;
  const Stream stream(2, settings);
  Bench bench;
  for (size_t i = 0; i + 1 < stream.packets[0].size(); ++i) bench.put(stream.packets[0][i]);
  CHECK(bench.shown.empty());
  bench.now += 3ms;
  bench.put(stream.packets[0].back());
  REQUIRE(bench.shown.size() == 1);
  const auto& [bytes, frame] = bench.shown[0];
  CHECK(bytes == stream.frames[0]);
  CHECK(frame.stream == settings.stream);
  CHECK(frame.buffer_id == 7);
  CHECK(frame.number == 0);
  CHECK(frame.new_stream);
  CHECK(frame.concealed_bytes == 0);
  CHECK(frame.times.pts == 0ns);
  CHECK(frame.times.available == kFirst);
  CHECK(frame.times.encoded == kFirst + 2ms);
  CHECK(frame.times.sent == kFirst + 2100us);
  CHECK(frame.times.first_packet == bench.wall() - 3ms);
  CHECK(frame.times.assembled == bench.wall());
  CHECK_FALSE(bench.session.next_deadline());

  for (const auto& packet : stream.packets[1]) bench.put(packet);
  REQUIRE(bench.shown.size() == 2);
  CHECK(bench.shown[1].bytes == stream.frames[1]);
  CHECK(bench.shown[1].frame.number == 1);
  CHECK_FALSE(bench.shown[1].frame.new_stream);
  CHECK(bench.shown[1].frame.times.pts.count() == doctest::Approx(1e9 / 60).epsilon(1e-3));
}

TEST_CASE("progress: the contiguous beginning of the next frame, and nothing of a later one") {
  PlainPacketizer packetizer(small_settings());
  const auto a = random_bytes(kSmallFrame, 1), b = random_bytes(kSmallFrame, 2), c = random_bytes(kSmallFrame, 3);
  const auto first = datagrams(packetizer, a, pts_only(0ms));
  const auto second = datagrams(packetizer, b, pts_only(16ms));
  const auto third = datagrams(packetizer, c, pts_only(32ms));
  REQUIRE(second.size() == 5);
  Bench bench;
  bench.put(first[0]);
  CHECK_FALSE(bench.session.progress());  // the stream's first frame: its description is not known yet
  for (size_t i = 1; i < 5; ++i) bench.put(first[i]);
  CHECK_FALSE(bench.session.progress());  // delivered
  const auto ready = [&](Bytes frame) {
    const auto p = bench.session.progress();
    if (!p) return -1;
    CHECK(p->bytes.size() == kSmallFrame);
    CHECK(p->stream == small_stream());
    CHECK(same(p->bytes.first(p->ready_bytes), frame.first(p->ready_bytes)));
    return static_cast<int>(p->ready_bytes);
  };
  bench.put(second[0]);
  const int one = ready(b);
  CHECK(one > 0);
  const uint64_t id = bench.session.progress()->id;
  CHECK(id != bench.shown[0].frame.id);
  bench.put(second[2]);
  CHECK(ready(b) == one);  // a gap
  bench.put(third[0]);
  CHECK(ready(c) == -1);  // the second is delivered first
  bench.put(second[1]);
  CHECK(ready(b) > 2 * one);
  for (size_t i = 3; i < 5; ++i) bench.put(second[i]);
  REQUIRE(bench.shown.size() == 2);
  CHECK(bench.shown[1].frame.id == id);
  bench.put(third[1]);
  CHECK(ready(c) > one);
}

TEST_CASE("counters: one for each cause") {
  const Stream s(4);
  REQUIRE(s.packets[0].size() == 5);
  const auto& p = s.packets;
  struct Row {
    const char* name;
    std::function<void(Bench&)> play;
    std::string expected;
  };
  const auto frames = [&](Bench& bench, std::initializer_list<size_t> which) {
    for (const size_t f : which)
      for (const auto& packet : p[f]) bench.put(packet);
  };
  const Row rows[] = {
      {"all well",
       [&](Bench& b) {
         frames(b, {0, 1, 2, 3});
       },
       "packets=20 complete=4 streams=1"},
      {"backwards inside a frame",
       [&](Bench& b) {
         for (size_t i = 5; i-- > 0;) b.put(p[0][i]);
       },
       "packets=5 reordered=4 complete=1 streams=1"},
      {"a packet twice, before and after its frame was given out",
       [&](Bench& b) {
         b.put(p[0][0]);
         b.put(p[0][0]);
         for (size_t i = 1; i < 5; ++i) b.put(p[0][i]);
         b.put(p[0][3]);
       },
       "packets=5 duplicate=2 complete=1 streams=1"},
      {"every packet sent twice under new numbers (UltraGrid's mult) is no second frame",
       [&](Bench& b) {
         frames(b, {0});
         for (Datagram packet : p[0]) {
           const uint16_t number = load_be16(packet, 2);
           store_be16(packet, 2, static_cast<uint16_t>(number + 5));
           b.put(packet);
         }
       },
       "packets=5 duplicate=5 complete=1 streams=1"},
      {"a lost packet: the next frame's last byte gives both out",
       [&](Bench& b) {
         for (const size_t i : {0, 1, 3, 4}) b.put(p[0][i]);
         frames(b, {1});
       },
       "packets=9 lost=1 complete=1 concealed=1 streams=1"},
      {"lost, then late",
       [&](Bench& b) {
         for (const size_t i : {0, 1, 3, 4}) b.put(p[0][i]);
         frames(b, {1});
         b.put(p[0][2]);
       },
       "packets=9 late=1 complete=1 concealed=1 streams=1"},
      {"late twice is a duplicate",
       [&](Bench& b) {
         for (const size_t i : {0, 1, 3, 4}) b.put(p[0][i]);
         frames(b, {1});
         b.put(p[0][2]);
         b.put(p[0][2]);
       },
       "packets=9 duplicate=1 late=1 complete=1 concealed=1 streams=1"},
      {"a frame of which nothing came",
       [&](Bench& b) {
         frames(b, {0, 2});
       },
       "packets=10 lost=5 complete=2 frames_lost=1 streams=1"},
      {"two frames interleaved",
       [&](Bench& b) {
         for (size_t i = 0; i < 5; ++i) {
           b.put(p[0][i]);
           b.put(p[1][i]);
         }
       },
       "packets=10 reordered=4 complete=2 streams=1"},
      {"timeout",
       [&](Bench& b) {
         b.put(p[0][0]);
         b.put(p[0][1]);
         b.pass(99ms);
         CHECK(b.shown.empty());
         b.pass(1ms);
         CHECK(b.shown.size() == 1);
       },
       "packets=2 concealed=1 streams=1"},
      {"not RTP, short, empty",
       [&](Bench& b) {
         b.put({});
         b.put(random_bytes(11, 1));
         b.put(changed(p[0][0], 0, 0x10));
         b.put(Bytes(p[0][0]).first(40));
       },
       "malformed=4"},
      {"another payload type of the same sender was not lost",
       [&](Bench& b) {
         frames(b, {0});
         for (const auto& packet : p[1]) b.put(changed(packet, 1, 95));
         frames(b, {2});
       },
       "packets=10 foreign=5 complete=2 frames_lost=1 streams=1"},
      {"a tile of a larger picture",
       [&](Bench& b) {
         frames(b, {0});
         b.put(changed(p[1][1], 36 - 24, 0x00));  // no extension: the video header follows RTP
         b.put(changed(p[1][2], 12, 0x40));       // substream 256
       },
       "packets=6 foreign=1 complete=1 streams=1"},
      {"another sender while the first is alive",
       [&](Bench& b) {
         const Stream other(1, small_settings(99));
         frames(b, {0});
         for (const auto& packet : other.packets[0]) b.put(packet);
         frames(b, {1});
       },
       "packets=10 foreign=5 complete=2 streams=1"},
      {"a frame number out of nowhere",
       [&](Bench& b) {
         frames(b, {0});
         b.put(changed(p[1][1], 13, 0x20));
         frames(b, {1});
       },
       "packets=10 reordered=1 malformed=1 complete=2 streams=1"},
      {"one packet of a frame far ahead does not make the true ones late",
       [&](Bench& b) {
         frames(b, {0});
         b.put(changed(p[1][1], 14, 0x01));  // 256 ahead
         b.pass(100ms);
         frames(b, {1, 2});
       },
       "packets=16 reordered=1 complete=3 streams=1"},
      {"a packet that contradicts its frame",
       [&](Bench& b) {
         b.put(p[0][0]);
         b.put(changed(p[0][1], 12 + 13, 0x44));  // width
         b.put(changed(p[0][1], 12 + 19, 0x35));  // FourCC
         b.put(changed(p[0][1], 12 + 11, 0x01));  // length
         b.put(changed(p[0][1], 7, 0x77));        // time stamp
       },
       "packets=1 malformed=4"},
      {"a damaged first packet gives way to the stream's own",
       [&](Bench& b) {
         frames(b, {0});
         b.put(changed(p[1][1], 12 + 13, 0x44));
         frames(b, {1});
       },
       "packets=11 reordered=1 complete=2 streams=1"},
      {"an extension that contradicts the header", [&](Bench& b) { b.put(changed(p[0][0], 12 + 4 + 9, 99)); },
       "malformed=1"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    Bench bench;
    row.play(bench);
    CHECK(line(bench.counters()) == row.expected);
    CHECK(bench.counters().bytes <= bench.counters().packets * kSmallFrame);
  }
}

TEST_CASE("invalid sizes are refused before anything is allocated") {
  const Stream s(1);
  struct Row {
    const char* name;
    size_t offset;
    uint32_t value;
  };
  // Offsets in a datagram without the extension (packet 1): RTP 12, then the video header.
  const Row rows[] = {{"length 0", 12 + 8, 0},
                      {"length of 4 GiB", 12 + 8, 0xFFFFFFFF},
                      {"length beyond what the size in pixels can need", 12 + 8, 64 * 64 * 16 + 65537},
                      {"offset beyond the length", 12 + 4, 0xFFFFFFF0},
                      {"offset at the length", 12 + 4, kSmallFrame},
                      {"payload reaching beyond the length", 12 + 4, kSmallFrame - 8},
                      {"width and height 0", 12 + 12, 0},
                      {"height 0", 12 + 12, 0x00400000}};
  for (const Row& row : rows) {
    CAPTURE(row.name);
    Bench bench;
    Datagram packet = s.packets[0][1];
    store_be32(packet, row.offset, row.value);
    const uint64_t before = allocations();
    bench.session.on_datagram(packet, bench.now, bench.wall());
    CHECK(allocations() == before);
    CHECK(line(bench.counters()) == "malformed=1");
  }
  SUBCASE("the limit of the settings") {
    Bench bench({.max_frame_bytes = kSmallFrame - 1});
    bench.put(s.packets[0][1]);
    CHECK(line(bench.counters()) == "malformed=1");
  }
}

TEST_CASE("losses are concealed from the frame delivered before, block by block; zero if there was none") {
  const Stream s(3);
  Bench bench;
  for (const size_t i : {0, 2, 3, 4}) bench.put(s.packets[0][i]);
  for (const size_t i : {0, 1, 3, 4}) bench.put(s.packets[1][i]);
  for (const auto& packet : s.packets[2]) bench.put(packet);
  REQUIRE(bench.shown.size() == 3);
  const auto payload_range = [&](size_t frame, size_t index) {
    const auto rtp = parse_rtp(s.packets[frame][index]);
    const auto video = parse_video_header(rtp->payload);
    return std::pair<size_t, size_t>(video->offset, video->offset + rtp->payload.size() - kVideoHeaderBytes);
  };
  auto expected = s.frames[0];
  const auto [begin, end] = payload_range(0, 1);
  std::fill(expected.begin() + begin, expected.begin() + end, std::byte{0});
  CHECK(bench.shown[0].bytes == expected);
  CHECK(bench.shown[0].frame.concealed_bytes == end - begin);

  auto second = s.frames[1];
  const auto [begin2, end2] = payload_range(1, 2);
  std::copy(s.frames[0].begin() + begin2, s.frames[0].begin() + end2, second.begin() + begin2);
  CHECK(bench.shown[1].bytes == second);
  CHECK(bench.shown[2].bytes == s.frames[2]);
  CHECK(bench.counters().concealed_bytes == end - begin + end2 - begin2);
}

TEST_CASE("losses in an uncompressed picture are concealed in whole pixels") {
  PacketizerSettings settings = small_settings();
  settings.stream.fourcc = {'R', 'G', 'B', '2'};
  settings.stream.has_extension = false;
  const Stream s(2, settings);
  Bench bench;
  for (const auto& packet : s.packets[0]) bench.put(packet);
  for (size_t i = 0; i < s.packets[1].size(); ++i)
    if (i != 2) bench.put(s.packets[1][i]);
  bench.pass(1s);
  REQUIRE(bench.shown.size() == 2);
  const auto rtp = parse_rtp(s.packets[1][2]);
  const auto video = parse_video_header(rtp->payload);
  const size_t lost = video->offset, end = lost + rtp->payload.size() - kVideoHeaderBytes;
  REQUIRE(lost % 3 != 0);  // the gap begins within a pixel, which comes from the previous frame
  auto expected = s.frames[1];
  std::copy(s.frames[0].begin() + lost / 3 * 3, s.frames[0].begin() + (end + 2) / 3 * 3,
            expected.begin() + lost / 3 * 3);
  CHECK(bench.shown[1].bytes == expected);
}

TEST_CASE("a late joiner learns the description within the first frame, whichever packet it starts with") {
  PacketizerSettings settings = small_settings();
  settings.stream.width = settings.stream.height = 510;  // 512 x 512 on the wire
  const Stream s(2, settings, 131072);
  REQUIRE(s.packets[0].size() > 100);
  for (size_t from = 0; from < s.packets[0].size(); from += 7) {
    CAPTURE(from);
    Bench bench;
    for (size_t i = from; i < s.packets[0].size(); ++i) bench.put(s.packets[0][i]);
    for (const auto& packet : s.packets[1]) bench.put(packet);
    REQUIRE(bench.shown.size() == 2);
    CHECK(bench.shown[0].frame.stream == settings.stream);
    CHECK(bench.shown[1].bytes == s.frames[1]);
    CHECK_FALSE(bench.shown[1].frame.new_stream);
  }
}

TEST_CASE("a frame that lost all its extensions still belongs to the stream") {
  PacketizerSettings settings = small_settings();
  settings.stream.width = 61;
  const Stream s(3, settings);
  Bench bench;
  for (const auto& packet : s.packets[0]) bench.put(packet);
  for (const size_t i : {1, 2, 3}) bench.put(s.packets[1][i]);
  for (const auto& packet : s.packets[2]) bench.put(packet);
  REQUIRE(bench.shown.size() == 3);
  CHECK(bench.shown[1].frame.stream == settings.stream);
  CHECK_FALSE(bench.shown[1].frame.new_stream);
  CHECK(bench.shown[1].frame.times.sent == WallTime{});
  CHECK(bench.shown[1].frame.times.pts > bench.shown[0].frame.times.pts);
  CHECK(bench.counters().streams == 1);
}

TEST_CASE("a changed description from the same sender begins a new stream, without concealment from the old one") {
  PacketizerSettings settings = small_settings();
  const Stream first(2, settings);
  settings.stream.height = 128;
  settings.first_sequence = 110;
  settings.first_buffer_id = 9;
  settings.timestamp_offset = 3000;
  const Stream second(2, settings, 2 * kSmallFrame);
  Bench bench;
  for (const auto& frame : first.packets)
    for (const auto& packet : frame) bench.put(packet);
  for (size_t i = 1; i < second.packets[0].size(); ++i) bench.put(second.packets[0][i]);
  for (const auto& packet : second.packets[1]) bench.put(packet);
  CHECK(bench.shown.size() == 2);  // the first one may continue
  bench.pass(10ms);
  REQUIRE(bench.shown.size() == 4);
  CHECK(bench.shown[2].frame.new_stream);
  CHECK(bench.shown[2].frame.number == 0);
  CHECK(bench.shown[2].frame.times.pts == 0ns);
  CHECK(bench.shown[2].frame.stream.height == 128);
  CHECK(bench.shown[2].bytes[0] == std::byte{0});
  CHECK(bench.shown[2].bytes.size() == 2 * kSmallFrame);
  CHECK(bench.shown[3].frame.number == 1);
  CHECK(line(bench.counters()) ==
        "packets=" + std::to_string(bench.counters().packets) + " lost=1 complete=3 concealed=1 streams=2");
}

TEST_CASE("forged complete frames of another size do not affect a stream that continues") {
  const Stream genuine(40);
  PacketizerSettings settings = small_settings();
  settings.stream.width = settings.stream.height = 4;
  Bench bench;
  for (size_t i = 0; i < genuine.packets.size(); ++i) {
    settings.first_buffer_id = small_settings().first_buffer_id + static_cast<uint32_t>(i);
    settings.timestamp_offset = 0x12345678 + static_cast<uint32_t>(i) * 7;
    if (i > 0) bench.put(Stream(1, settings, 8).packets[0][0]);
    for (const auto& packet : genuine.packets[i]) bench.put(packet);
    bench.pass(16ms);
  }
  REQUIRE(bench.shown.size() == genuine.frames.size());
  for (size_t i = 0; i < bench.shown.size(); ++i) CHECK(bench.shown[i].bytes == genuine.frames[i]);
  CHECK(bench.counters().streams == 1);
}

TEST_CASE("a restarted sender takes over once the old one has been silent; two senders do not alternate") {
  const Stream old(4);
  const Stream fresh(2, small_settings(99));
  struct Row {
    nanoseconds silence;
    nanoseconds sender_timeout;
    bool takes_over;
  };
  const Row rows[] = {
      {0ms, 2s, false}, {249ms, 2s, false}, {250ms, 2s, true}, {100ms, 100ms, true}, {99ms, 100ms, false}};
  for (const Row& row : rows) {
    CAPTURE(row.silence.count());
    Bench bench({.sender_timeout = row.sender_timeout});
    for (const auto& packet : old.packets[0]) bench.put(packet);
    bench.put(old.packets[1][0]);
    bench.pass(row.silence);
    for (const auto& packet : fresh.packets[0]) bench.put(packet);
    if (!row.takes_over) bench.pass(100ms);
    CHECK(bench.counters().foreign == (row.takes_over ? 0 : 5));
    REQUIRE(bench.shown.size() == (row.takes_over ? 3 : 2));  // the old one's incomplete frame is delivered too
    if (!row.takes_over) continue;
    CHECK(bench.shown[2].bytes == fresh.frames[0]);
    CHECK(bench.shown[2].frame.new_stream);
    CHECK(bench.shown[2].frame.number == 0);
    CHECK(bench.counters().frames_lost == 0);
    for (const auto& packet : old.packets[2]) bench.put(packet);
    CHECK(bench.counters().foreign == 5);
  }
}

TEST_CASE("sequence numbers and buffer ids wrap in mid-stream without effect") {
  PacketizerSettings settings = small_settings();
  settings.first_sequence = 65530;
  settings.first_buffer_id = kBufferIdMask - 1;
  settings.timestamp_offset = 0xFFFFFFF0;
  const Stream s(5, settings);
  Bench bench;
  for (const auto& frame : s.packets)
    for (const auto& packet : frame) bench.put(packet);
  CHECK(line(bench.counters()) == "packets=25 complete=5 streams=1");
  REQUIRE(bench.shown.size() == 5);
  for (size_t i = 0; i < 5; ++i) {
    CHECK(bench.shown[i].bytes == s.frames[i]);
    CHECK(bench.shown[i].frame.number == i);
    CHECK(static_cast<double>(bench.shown[i].frame.times.pts.count()) ==
          doctest::Approx(static_cast<double>(i) * 1e9 / 60).epsilon(1e-3));
  }
}

TEST_CASE("after minutes without network the stream continues") {
  PacketizerSettings settings = small_settings();
  const Stream before(2, settings);
  settings.first_sequence = 50'000;
  settings.first_buffer_id = 20'000;
  settings.timestamp_offset = 30'000'000;
  const Stream after(2, settings);
  Bench bench;
  for (const auto& frame : before.packets)
    for (const auto& packet : frame) bench.put(packet);
  bench.pass(333s);
  for (const auto& frame : after.packets)
    for (const auto& packet : frame) bench.put(packet);
  REQUIRE(bench.shown.size() == 4);
  CHECK(bench.shown[3].bytes == after.frames[1]);
  CHECK(bench.shown[3].frame.number == 20'001 - 7);
  CHECK(bench.counters().malformed == 1);  // the packet that was rejected until the next one arrived
  CHECK(bench.counters().frames_concealed == 1);
  CHECK(bench.counters().frames_lost == 20'000 - 9);
}

TEST_CASE("three frames in progress at once are complete and in order") {
  const Stream s(3);
  Bench bench;
  for (size_t i = 0; i + 1 < 5; ++i)
    for (size_t f = 3; f-- > 0;) bench.put(s.packets[f][i]);
  CHECK(bench.shown.empty());
  for (size_t f = 0; f < 3; ++f) bench.put(s.packets[f][4]);
  REQUIRE(bench.shown.size() == 3);
  for (size_t f = 0; f < 3; ++f) CHECK(bench.shown[f].bytes == s.frames[f]);
  CHECK(bench.counters().frames_concealed == 0);
}

TEST_CASE("the number of frames in progress is bounded: the oldest is delivered as it is") {
  const Stream s(40);
  Bench bench;
  for (const auto& frame : s.packets) {
    bench.put(frame[0]);
    bench.put(frame[1]);
  }
  CHECK(bench.shown.size() == 40 - 8);
  for (size_t i = 0; i < bench.shown.size(); ++i) CHECK(bench.shown[i].frame.number == i);
  SUBCASE("so is the number of finished frames that nobody polls") {
    Bench lazy;
    for (const auto& frame : s.packets)
      for (const auto& packet : frame) lazy.session.on_datagram(packet, lazy.now, lazy.wall());
    lazy.collect();
    REQUIRE(lazy.shown.size() == 16);
    CHECK(lazy.shown.back().bytes == s.frames.back());
    CHECK(lazy.counters().frames_unread == 40 - 16);
    CHECK(lazy.counters().frames_lost == 0);
    CHECK(lazy.counters().lost == 0);
  }
}

TEST_CASE("deadlines: none when idle, the first packet's time plus the timeout while a frame is in progress") {
  const Stream s(1);
  Bench bench({.frame_timeout = 20ms});
  CHECK_FALSE(bench.session.next_deadline());
  bench.put(s.packets[0][0]);
  const SteadyTime first = bench.now;
  bench.pass(5ms);
  bench.put(s.packets[0][1]);
  CHECK(bench.session.next_deadline() == first + 20ms);
  bench.pass(15ms);
  CHECK(bench.shown.size() == 1);
  CHECK(bench.shown[0].frame.times.assembled == bench.wall());
  CHECK_FALSE(bench.session.next_deadline());
}

TEST_CASE("a frame with losses is shown soon: a moment after its end, or after two packets of the next frame") {
  const Stream s(2);
  SUBCASE("its last packet arrived") {
    Bench bench;
    for (const size_t i : {0, 1, 3, 4}) bench.put(s.packets[0][i]);
    bench.pass(2900us);
    CHECK(bench.shown.empty());
    CHECK(bench.session.next_deadline() == bench.now + 100us);
    bench.pass(100us);
    CHECK(bench.shown.size() == 1);
  }
  SUBCASE("its last packet is missing") {
    Bench bench;
    for (const size_t i : {0, 1, 2, 3}) bench.put(s.packets[0][i]);
    bench.pass(15ms);
    CHECK(bench.shown.empty());
    bench.put(s.packets[1][0]);
    bench.pass(3ms);
    CHECK(bench.shown.empty());  // a single packet may be damaged
    bench.put(s.packets[1][1]);
    bench.pass(3ms);
    CHECK(bench.shown.size() == 1);
  }
  SUBCASE("a reordered packet is waited for") {
    Bench bench;
    for (const size_t i : {0, 1, 3, 4}) bench.put(s.packets[0][i]);
    bench.pass(2ms);
    bench.put(s.packets[0][2]);
    REQUIRE(bench.shown.size() == 1);
    CHECK(bench.shown[0].frame.concealed_bytes == 0);
  }
}

TEST_CASE("a slow stream's frame may take its frame time to arrive") {
  PacketizerSettings settings = small_settings();
  settings.stream.fps = 5;
  const Stream s(2, settings);
  Bench bench;
  for (const auto& frame : s.packets) {
    for (const auto& packet : frame) {
      bench.put(packet);
      bench.pass(37ms);
    }
  }
  CHECK(line(bench.counters()) == "packets=10 complete=2 streams=1");
}

TEST_CASE("a steady stream does not allocate, even with losses") {
  const Stream s(200);
  ReceiveSession session;
  SteadyTime now{1s};
  std::mt19937 random(4);
  uint64_t before = 0;
  size_t frames = 0;
  for (size_t f = 0; f < s.packets.size(); ++f) {
    if (f == 50) before = allocations();
    for (const auto& packet : s.packets[f]) {
      if (f % 3 == 0 && random() % 5 == 0) continue;
      session.on_datagram(packet, now, wall_of(now));
      while (session.poll(now, wall_of(now))) ++frames;
    }
    now += 16ms;
  }
  CHECK(allocations() == before);
  CHECK(frames > 150);
}
