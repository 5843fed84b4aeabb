// RTCP compared with bytes written by hand from RFC 3550, and its two ends against each other in simulated time.
#include <doctest/doctest.h>

#include <array>

#include "../times.h"
#include "compact_support.h"
#include "support.h"
#include "transport/packet.h"
#include "transport/rtcp_session.h"

using namespace texcast;
using namespace texcast::transport;
using namespace texcast::transport::test;

namespace {

Datagram hex(std::string_view text) {
  Datagram bytes;
  int high = -1;
  for (const char c : text) {
    if (c == ' ') continue;
    const int digit = c <= '9' ? c - '0' : c - 'A' + 10;
    if (high >= 0) bytes.push_back(static_cast<std::byte>(high << 4 | digit));
    high = high >= 0 ? -1 : digit;
  }
  return bytes;
}

const char* const kSenderReportAndName =
    "80C80006 01020304 83AA7E80 80000000 0000A8C0 00000003 00000FA0"  // no blocks; 1970-01-01 00:00:00.5
    "81CA0003 01020304 01036140 62000000";                            // CNAME "a@b", one zero byte and padding
const char* const kReceiverReportNameAndGoodbye =
    "81C90007 0A0B0C0D 01020304 40FFFFFE 0001FFFF 00000010 7E808000 00018000"
    "81CA0003 0A0B0C0D 01036140 62000000"
    "81CB0001 0A0B0C0D";

// RTP headers only, which suffice for a receiver's measurements.
Datagram rtp(uint16_t sequence, uint32_t timestamp, uint32_t ssrc = 7) {
  Datagram datagram(40);
  write_rtp_header(datagram, {.payload_type = 20, .sequence = sequence, .timestamp = timestamp, .ssrc = ssrc}, false);
  return datagram;
}

OutgoingPacket outgoing(const Datagram& datagram) { return {datagram, {}}; }

// A packet of SSRC 7, the stream that receivers report about.
void send_one(RtcpSender& sender) {
  const Datagram datagram = rtp(1, 1);
  const OutgoingPacket packet = outgoing(datagram);
  sender.on_sent({&packet, 1}, SteadyTime(1s));
}

}  // namespace

TEST_CASE("sender report, receiver report, CNAME and BYE match RFC 3550 byte for byte") {
  std::array<std::byte, kMaxRtcpBytes> out{};
  RtcpCompound compound{.ssrc = 0x01020304, .cname = "a@b"};
  compound.sender =
      RtcpSenderInfo{.ntp_time = ntp_time(WallTime(500ms)), .rtp_timestamp = 0xA8C0, .packets = 3, .octets = 4000};
  const Datagram sender = hex(kSenderReportAndName);
  CHECK(same(Bytes(out).first(write_rtcp(out, compound)), sender));
  const auto parsed = parse_rtcp(sender);
  REQUIRE(parsed);
  CHECK(parsed->ssrc == 0x01020304);
  REQUIRE(parsed->sender);
  CHECK(ntp_middle(parsed->sender->ntp_time) == 0x7E808000);
  CHECK(parsed->sender->packets == 3);
  CHECK(parsed->sender->octets == 4000);
  CHECK(parsed->block_count == 0);
  CHECK_FALSE(parsed->bye);

  compound = {.ssrc = 0x0A0B0C0D, .bye = true, .cname = "a@b"};
  compound.block_count = 1;
  compound.blocks[0] = {.ssrc = 0x01020304,
                        .fraction_lost = 64,
                        .cumulative_lost = -2,
                        .highest_sequence = 0x1FFFF,
                        .jitter = 16,
                        .last_report = 0x7E808000,
                        .delay = 0x18000};
  const Datagram receiver = hex(kReceiverReportNameAndGoodbye);
  CHECK(same(Bytes(out).first(write_rtcp(out, compound)), receiver));
  const auto again = parse_rtcp(receiver);
  REQUIRE(again);
  CHECK_FALSE(again->sender);
  CHECK(again->bye);
  REQUIRE(again->block_count == 1);
  const RtcpReportBlock& block = again->blocks[0];
  CHECK(block.ssrc == 0x01020304);
  CHECK(block.fraction_lost == 64);
  CHECK(block.cumulative_lost == -2);
  CHECK(block.highest_sequence == 0x1FFFF);
  CHECK(block.jitter == 16);
  CHECK(block.last_report == 0x7E808000);
  CHECK(block.delay == 0x18000);

  // A CNAME of each length: whole words, zero-terminated, and still one compound.
  compound.bye = false;
  for (size_t length = 0; length <= 300; ++length) {
    const std::string name(length, 'x');
    compound.cname = name;
    const size_t bytes = write_rtcp(out, compound);
    REQUIRE(bytes % 4 == 0);
    REQUIRE(out[bytes - 1] == std::byte{0});
    REQUIRE(parse_rtcp(Bytes(out).first(bytes)));
  }
}

TEST_CASE("SDES: bytes by hand, real UltraGrid's, and invalid ones") {
  std::array<std::byte, kMaxRtcpBytes> out{};
  RtcpCompound compound{.ssrc = 0x0A0B0C0D, .cname = "a@b", .tool = "x/1 y"};
  const Datagram own =
      hex("80C90001 0A0B0C0D"
          "81CA0005 0A0B0C0D 01036140 62060578 2F312079 00000000");
  CHECK(same(Bytes(out).first(write_rtcp(out, compound)), own));
  const auto parsed = parse_rtcp(own);
  REQUIRE(parsed);
  CHECK(parsed->cname == "a@b");
  CHECK(parsed->tool == "x/1 y");

  // As sent by a stock UltraGrid of 2026: SR and CNAME. It adds its TOOL to one of 24 reports.
  const auto ultragrid_report =
      hex("80C80006 B5D1B1DB EEAAB1DC E42E5A8E 00030690 0000010E 00000CA8"
          "81CA0007 B5D1B1DB 0115726F 6F74403A 3A666666 663A3132 372E302E 302E3100");
  const auto ultragrid = parse_rtcp(ultragrid_report);
  REQUIRE(ultragrid);
  CHECK(ultragrid->cname == "root@::ffff:127.0.0.1");
  CHECK(ultragrid->tool.empty());

  // Two chunks, the second of another source, whose text is ignored.
  const auto mixed_report =
      hex("80C90001 0A0B0C0D"
          "82CA0006 0A0B0C0D 06025A5A 00000000 00000001 0603585F 59000000");
  const auto mixed = parse_rtcp(mixed_report);
  REQUIRE(mixed);
  CHECK(mixed->cname.empty());
  CHECK(mixed->tool == "ZZ");
  for (const char* broken : {"80C90001 0A0B0C0D 81CA0002 0A0B0C0D 0603585F",           // longer than the datagram
                             "80C90001 0A0B0C0D 81CA0002 0A0B0C0D 06025A5A",           // no end
                             "80C90001 0A0B0C0D 9FCA0003 0A0B0C0D 06025A5A 00000000",  // 31 chunks claimed
                             "80C90001 0A0B0C0D 81CA0001 0A0B0C0D",                    // a chunk without items
                             "80C90001 0A0B0C0D 81CA0000"}) {
    CAPTURE(broken);
    CHECK(parse_rtcp(hex(broken)));  // the report counts
  }
  // The longest of each still fit, with a sender report, a block and a BYE.
  const std::string longest(300, 'n');
  compound = {.ssrc = 1, .sender = RtcpSenderInfo{}, .bye = true, .cname = longest, .tool = longest};
  compound.block_count = 1;
  const auto again = parse_rtcp(Bytes(out).first(write_rtcp(out, compound)));
  REQUIRE(again);
  CHECK(again->bye);
  CHECK(again->cname.size() == 255);
  CHECK(again->tool.size() == kMaxToolBytes);
}

TEST_CASE("truncated or invalid RTCP is refused; unknown types are skipped") {
  const Datagram good = hex(kReceiverReportNameAndGoodbye);
  for (size_t size = 0; size < good.size(); ++size) {
    const bool boundary = size == 32 || size == 48;  // a compound of fewer packets
    CHECK(parse_rtcp(Bytes(good).first(size)).has_value() == boundary);
  }
  for (const char* bad :
       {"81CA0003 01020304 01036140 62000000",                                      // SDES first
        "40C90001 0A0B0C0D",                                                        // version 1
        "A0C90001 0A0B0C0D",                                                        // padding in the first
        "82C90007 0A0B0C0D 01020304 40FFFFFE 0001FFFF 00000010 7E808000 00018000",  // two blocks claimed
        "80C80005 01020304 83AA7E80 80000000 0000A8C0 00000003",                    // half a sender report
        "80C90001 0A0B0C0D 82CB0001 0A0B0C0D",                                      // two leave, one is listed
        "80C90001 0A0B0C0D 80CBFFFF"}) {
    CAPTURE(bad);
    CHECK_FALSE(parse_rtcp(hex(bad)));
  }
  const auto with_app = parse_rtcp(hex("80C90001 0A0B0C0D 80CC0002 0A0B0C0D 5254545F 81CB0001 0A0B0C0E"));
  REQUIRE(with_app);  // APP "RTT_", and the BYE of another source
  CHECK_FALSE(with_app->bye);
}

TEST_CASE("the timer: a first report within 3.1 s, then every 2 to 6.2 s, randomised") {
  for (const uint32_t seed : {0u, 1u, 99u, 0xFFFFFFFFu}) {
    RtcpTimer timer(seed);
    CHECK_FALSE(timer.started());
    SteadyTime now{10s};
    timer.start(now);
    CHECK(timer.next_deadline() - now > 1s);
    CHECK(timer.next_deadline() - now < 3100ms);
    nanoseconds sum{}, shortest = 10s, longest{};
    for (int i = 0; i < 200; ++i) {
      timer.sent(now);
      const nanoseconds interval = timer.next_deadline() - now;
      now += interval;
      sum += interval;
      shortest = std::min(shortest, interval);
      longest = std::max(longest, interval);
    }
    CHECK(shortest > 2s);
    CHECK(longest < 6200ms);
    CHECK(longest - shortest > 3s);
    CHECK(sum / 200 > 3800ms);  // 5 s / 1.218, the RFC's compensation
    CHECK(sum / 200 < 4400ms);
  }
}

TEST_CASE("the timer with unicast only: a first report within half a second, then one a second") {
  for (const uint32_t seed : {0u, 1u, 99u, 0xFFFFFFFFu}) {
    RtcpTimer timer(seed);
    SteadyTime now{10s};
    timer.start_unicast(now);
    CHECK(timer.next_deadline() - now > 100ms);
    CHECK(timer.next_deadline() - now < 400ms);
    for (int i = 0; i < 50; ++i) {
      timer.sent(now);
      CHECK(timer.next_deadline() - now > 400ms);
      CHECK(timer.next_deadline() - now < 1250ms);
    }
  }
}

TEST_CASE("a receiver's block: loss, wraps, duplicates and jitter computed as in RFC 3550") {
  RtcpReceiver receiver(9, "r", 1);
  CHECK_FALSE(receiver.block(SteadyTime{}));
  // 100 packets from 65500 on, every tenth lost, two of them duplicated; 10 ms apart on both clocks.
  SteadyTime now{5s};
  uint32_t timestamp = 0xFFFFF000;
  for (int i = 0; i < 100; ++i, now += 10ms, timestamp += 900) {
    if (i % 10 == 5) continue;
    const Datagram datagram = rtp(static_cast<uint16_t>(65500 + i), timestamp);
    receiver.on_media(datagram, now);
    if (i == 20 || i == 30) receiver.on_media(datagram, now);
  }
  auto block = receiver.block(now);
  REQUIRE(block);
  CHECK(block->ssrc == 7);
  CHECK(block->cumulative_lost == 8);  // 10 lost minus 2 duplicates, as the RFC counts
  CHECK(block->fraction_lost == 8 * 256 / 100);
  CHECK(block->highest_sequence == 65500 + 99);
  CHECK(block->jitter == 0);
  CHECK(block->last_report == 0);
  CHECK(block->delay == 0);

  // Alternately 2 ms late and on time: |D| is always 180, and the jitter converges to it.
  for (int i = 100; i < 300; ++i, now += 10ms, timestamp += 900)
    receiver.on_media(rtp(static_cast<uint16_t>(65500 + i), timestamp), now + (i % 2 ? 2ms : 0ms));
  CHECK(receiver.block(now)->jitter >= 178);
  CHECK(receiver.block(now)->jitter <= 180);
  // Another sender changes nothing while the first lives, nor does one packet later; sixteen in a row do.
  for (uint16_t i = 1; i <= 100; ++i) receiver.on_media(rtp(i, 1, 8), now);
  CHECK(receiver.block(now)->ssrc == 7);
  now += 300ms;
  receiver.on_media(rtp(1, 1, 8), now);
  CHECK(receiver.block(now)->ssrc == 7);
  for (uint16_t i = 1; i <= 16; ++i) receiver.on_media(rtp(i, 1, 8), now);
  CHECK(receiver.block(now)->ssrc == 8);
  CHECK(receiver.block(now)->cumulative_lost == 0);
  receiver.on_media(hex("80C80006 01020304"), now);  // RTCP on the wrong port is ignored
  receiver.on_media({}, now);
}

TEST_CASE("a sender report relates time stamps to capture times, even if the clock was set back") {
  constexpr WallTime kCaptured{1'700'000'000s};
  const Datagram datagram = rtp(1, 90'000);
  const OutgoingPacket packet = outgoing(datagram);
  for (const nanoseconds age : {700ms, -30ms}) {  // of the picture when the report is sent
    RtcpSender sender("s@h", 1);
    sender.on_sent({&packet, 1}, SteadyTime{1s}, kCaptured);
    const auto report = parse_rtcp(sender.goodbye(SteadyTime{2s}, kCaptured + age));
    REQUIRE(report);
    REQUIRE(report->sender);
    CHECK(report->sender->ntp_time == ntp_time(kCaptured + age));
    CHECK(static_cast<int32_t>(report->sender->rtp_timestamp - 90'000) == age / 1ms * 90);
  }
}

TEST_CASE("sender and receiver: reports in both directions, round trip, loss in between, BYE") {
  RtcpSender sender("s@h", 1);
  RtcpReceiver receiver(9, "r@h", 2);
  constexpr SteadyTime kEnd{31s};
  const WallTime wall_of_sender{1'700'000'000s};
  CHECK_FALSE(sender.next_deadline());
  CHECK(sender.goodbye(SteadyTime{}, WallTime{}).empty());
  CHECK(receiver.goodbye(SteadyTime{}).empty());
  uint64_t reports = 0, answers = 0;
  uint16_t sequence = 0;
  const nanoseconds one_way = 3ms;  // each way
  for (SteadyTime now{1s}; now < kEnd; now += 10ms) {
    const Datagram datagram = rtp(sequence, static_cast<uint32_t>(now.time_since_epoch() / 1ms) * 90);
    const OutgoingPacket packet = outgoing(datagram);
    sender.on_sent({&packet, 1}, now);
    if (sequence++ % 4 != 3) receiver.on_media(datagram, now + one_way);  // a quarter is lost
    if (const Bytes report = sender.report(now, wall_of_sender + now.time_since_epoch()); !report.empty()) {
      ++reports;
      const auto parsed = parse_rtcp(report);
      REQUIRE(parsed);
      REQUIRE(parsed->sender);
      CHECK(parsed->ssrc == 7);
      CHECK(parsed->sender->packets == sequence);
      CHECK(parsed->sender->octets == sequence * 28u);
      CHECK(parsed->sender->rtp_timestamp == static_cast<uint32_t>(now.time_since_epoch() / 1ms) * 90);
      CHECK(receiver.on_control(report, now + one_way));
    }
    if (const Bytes report = receiver.report(now); !report.empty()) {
      ++answers;
      const auto parsed = parse_rtcp(report);
      REQUIRE(parsed);
      sender.on_report(*parsed, "there", now + one_way, wall_of_sender + now.time_since_epoch() + one_way);
    }
  }
  CHECK(reports >= 5);
  CHECK(reports <= 12);
  CHECK(answers >= 5);
  REQUIRE(sender.receivers().size() == 1);
  const ReceiverOpinion& there = sender.receivers()[0];
  CHECK(there.ssrc == 9);
  CHECK(there.address == "there");
  CHECK(there.loss == doctest::Approx(0.25).epsilon(0.03));
  CHECK(there.lost > 300);
  CHECK(there.jitter_ms < 0.1);
  REQUIRE(there.round_trip_ms);
  CHECK(*there.round_trip_ms == doctest::Approx(6).epsilon(0.02));
  // A report about another stream is ignored; a BYE is remembered.
  const Datagram of_another = hex("81C90007 0A0B0C0D 01020304 40FFFFFE 0001FFFF 00000010 7E808000 00018000");
  sender.on_report(parse_rtcp(of_another).value(), "x", kEnd, wall_of(kEnd));
  CHECK(sender.receivers().size() == 1);
  sender.on_report(parse_rtcp(receiver.goodbye(kEnd)).value(), "there", kEnd, wall_of(kEnd));
  CHECK(sender.receivers()[0].left);
  const auto last = parse_rtcp(sender.goodbye(kEnd, wall_of_sender));
  REQUIRE(last);
  CHECK(last->bye);
}

TEST_CASE("a forger at another address affects neither a receiver's reports nor their destination") {
  const auto host = [](uint8_t last) {
    return PeerAddress::of_ipv4(std::array{std::byte{10}, std::byte{0}, std::byte{0}, std::byte{last}}, 5000);
  };
  RtcpReceiver receiver(9, "r", 1);
  SteadyTime now{5s};
  for (uint16_t i = 0; i < 100; ++i, now += 10ms) {
    receiver.on_media(rtp(i, i * 900u), now, host(1));
    for (uint16_t k = 0; k < 20; ++k)
      receiver.on_media(rtp(static_cast<uint16_t>(20'000 + 77 * k), k), now, host(66));  // the genuine SSRC
  }
  REQUIRE(receiver.block(now));
  CHECK(receiver.block(now)->cumulative_lost == 0);
  CHECK(receiver.block(now)->highest_sequence == 99);
  CHECK(receiver.block(now)->jitter == 0);
  RtcpCompound report{.ssrc = 7};
  report.sender = RtcpSenderInfo{};
  std::array<std::byte, kMaxRtcpBytes> out{};
  const Bytes bytes = Bytes(out).first(write_rtcp(out, report));
  CHECK_FALSE(receiver.on_control(bytes, now, host(66)));
  CHECK_FALSE(receiver.next_deadline());
  CHECK(receiver.on_control(bytes, now, host(1)));
}

TEST_CASE("a flood of forged receivers displaces no genuine one, and a forged BYE does not affect it") {
  RtcpSender sender("s", 1);
  send_one(sender);
  const auto say = [&](uint32_t ssrc, bool bye, const std::string& from, SteadyTime now) {
    RtcpCompound compound{.ssrc = ssrc, .bye = bye};
    compound.block_count = 1;
    compound.blocks[0] = {.ssrc = 7};
    sender.on_report(compound, from, now, WallTime(1s));
  };
  say(50, false, "10.0.0.2:5005", SteadyTime(1s));
  for (uint32_t i = 0; i < 1000; ++i) say(100 + i, false, "10.0.0.66:" + std::to_string(i), SteadyTime(2s));
  say(50, true, "10.0.0.66:1", SteadyTime(2s));
  CHECK(sender.receivers().size() == RtcpSender::kMaxReceivers);
  const auto true_one = std::ranges::find(sender.receivers(), "10.0.0.2:5005", &ReceiverOpinion::address);
  REQUIRE(true_one != sender.receivers().end());
  CHECK_FALSE(true_one->left);
}

TEST_CASE("many receivers, and hostile ones: the list stays bounded, and silent ones are removed") {
  RtcpSender sender("s", 1);
  send_one(sender);
  for (uint32_t i = 0; i < 1000; ++i) {
    RtcpCompound compound{.ssrc = 100 + i};
    compound.block_count = 1;
    compound.blocks[0] = {.ssrc = 7, .fraction_lost = 1, .last_report = 0xFFFFFFFF, .delay = 0xFFFFFFFF};
    const SteadyTime now = SteadyTime(1s) + i * 1ms;
    sender.on_report(compound, "x", now, WallTime(1s));
  }
  CHECK(sender.receivers().size() == RtcpSender::kMaxReceivers);
  CHECK(sender.receivers()[0].ssrc >= 1000);  // those heard last
  CHECK_FALSE(sender.report(SteadyTime(40s), WallTime(40s)).empty());
  CHECK(sender.receivers().empty());
}

TEST_CASE("reports about a coded stream count its packets, but not its parity") {
  CompactPacketizer packetizer(compact_settings(7), {.parity_percent = 50});
  RtcpSender sender("s@h", 1);
  RtcpReceiver receiver(9, "r@h", 2);
  uint32_t sent = 0, octets = 0;
  for (int i = 0; i < 3; ++i) {
    const Payloads payloads = payloads_of(i, 40, 300);
    packetizer.begin(pts_only(i * 100ms));
    const auto packets = packetizer.add(views_of(payloads), static_cast<uint32_t>(payloads.size()));
    CHECK(packets.size() > payloads.size());
    sender.on_sent(packets, SteadyTime(1s + i * 100ms));
    for (size_t k = 0; k < packets.size(); ++k)
      if (k % 4 != 1) receiver.on_media(join(packets[k]), SteadyTime(1s + i * 100ms));
    for (const auto& payload : payloads) octets += static_cast<uint32_t>(payload.size());
    sent += static_cast<uint32_t>(payloads.size());
  }
  const Bytes report = sender.report(SteadyTime(10s), WallTime(1'700'000'000s));
  const auto parsed = parse_rtcp(report);
  REQUIRE(parsed);
  REQUIRE(parsed->sender);
  CHECK(parsed->ssrc == 7);
  CHECK(parsed->sender->packets == sent);
  CHECK(parsed->sender->octets == octets);
  const auto block = receiver.block(SteadyTime(10s));
  REQUIRE(block);
  CHECK(block->ssrc == 7);
  CHECK(block->cumulative_lost > 0);
  CHECK(static_cast<uint32_t>(block->cumulative_lost) < sent / 2);
}

TEST_CASE("a relay's report contains what is lost behind it, and a sender that begins anew is counted anew") {
  RtcpReceiver receiver(1, "relay", 1, RtcpAudience::unicast);
  SteadyTime now{1s};
  for (uint16_t i = 0; i < 100; ++i, now += 1ms)
    if (i % 4 != 1) receiver.on_media(rtp(i, i * 90u), now);
  const auto own = receiver.block(now);
  REQUIRE(own);
  CHECK(own->fraction_lost == 64);
  receiver.add_behind({.loss = 0.5, .jitter_ms = 20});
  const auto with = receiver.block(now);
  CHECK(with->fraction_lost == 160);  // 1 - 0.75 * 0.5
  CHECK(with->jitter == 1800);
  CHECK(with->cumulative_lost == own->cumulative_lost);
  receiver.add_behind({});
  CHECK(receiver.block(now)->fraction_lost == 64);

  RtcpSender sender("relay", 1, RtcpAudience::unicast, 100);
  const auto count_of = [&](const Datagram& datagram) {
    const OutgoingPacket packet = outgoing(datagram);
    sender.on_sent({&packet, 1}, now);
    const auto report = parse_rtcp(sender.report_to_newcomer(now, WallTime(1s)));
    REQUIRE((report && report->sender));
    return std::pair(report->ssrc, report->sender->packets);
  };
  CHECK(count_of(rtp(1, 1)) == std::pair(7u, 1u));
  CHECK(count_of(rtp(2, 1)) == std::pair(7u, 2u));
  CHECK(count_of(rtp(9, 1, 8)) == std::pair(8u, 1u));
}
