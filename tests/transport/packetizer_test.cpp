#include <doctest/doctest.h>

#include "support.h"
#include "transport/packet.h"
#include "transport/pcap.h"
#include "transport/plain_packetizer.h"

using namespace texcast;
using namespace texcast::transport;
using namespace texcast::transport::test;

TEST_CASE("packets of every frame size: equal, whole blocks, complete, marked, with the extension as specified") {
  for (const bool extension : {true, false}) {
    for (const int mtu : {576, 1500, 9000}) {
      for (const int block : {1, 8, 16}) {
        PacketizerSettings settings = small_settings();
        settings.mtu = mtu;
        settings.block_bytes = block;
        settings.extension = extension;
        settings.ipv6 = block == 8;
        PlainPacketizer packetizer(settings);
        const auto plain = static_cast<size_t>(packetizer.max_payload());
        // Around every size where the number of packets changes: one packet, the last one with and without room for its
        // extension, the seventeenth.
        for (const size_t base : {size_t{16}, plain - 32, plain, 2 * plain - 32, 2 * plain, 17 * plain}) {
          for (const int delta : {-16, -8, -1, 0, 1, 8, 16}) {
            const size_t size = base + static_cast<size_t>(delta);
            if (size == 0 || size > 1'000'000) continue;
            CAPTURE(extension);
            CAPTURE(mtu);
            CAPTURE(block);
            CAPTURE(size);
            const auto frame = random_bytes(size, 1);
            const auto packets = packetizer.packetize(frame, {});
            std::vector<std::byte> joined;
            for (size_t i = 0; i < packets.size(); ++i) {
              const auto datagram = join(packets[i]);
              const bool last = i + 1 == packets.size();
              const size_t ip_and_udp = settings.ipv6 ? 48 : 28;
              REQUIRE(datagram.size() + ip_and_udp <= static_cast<size_t>(mtu));
              if (!last) {
                REQUIRE(datagram.size() == packets[0].size());
                REQUIRE(packets[i].payload.size() % static_cast<size_t>(block) == 0);
              } else {
                REQUIRE(datagram.size() <= packets[0].size());
              }
              const auto rtp = parse_rtp(datagram);
              REQUIRE(rtp);
              REQUIRE(rtp->marker == last);
              REQUIRE(rtp->payload_type == 20);
              if (extension && (i % 16 == 0 || last)) REQUIRE(rtp->extension_id == kExtensionId);
              if (!extension) REQUIRE_FALSE(rtp->extension_id);
              const auto video = parse_video_header(rtp->payload);
              REQUIRE(video);
              REQUIRE(video->offset == joined.size());
              REQUIRE(video->length == size);
              const Bytes piece = rtp->payload.subspan(kVideoHeaderBytes);
              REQUIRE(!piece.empty());
              joined.insert(joined.end(), piece.begin(), piece.end());
            }
            REQUIRE(same(joined, frame));
          }
        }
      }
    }
  }
}

TEST_CASE("numbers continue over frames and wrap: sequence at 16 bits, buffer id at 22, time stamp at 32") {
  PacketizerSettings settings = small_settings();
  settings.first_sequence = 65534;
  settings.first_buffer_id = kBufferIdMask;
  settings.timestamp_offset = 0xFFFFFFFF;
  PlainPacketizer packetizer(settings);
  const auto frame = random_bytes(kSmallFrame, 1);
  uint16_t sequence = 65534;
  for (int i = 0; i < 3; ++i) {
    for (const auto& datagram : datagrams(packetizer, frame, pts_only(i * 1'000'000'000ns / 60))) {
      const auto rtp = parse_rtp(datagram);
      CHECK(rtp->sequence == sequence++);
      CHECK(rtp->timestamp == 0xFFFFFFFFu + 1500u * static_cast<uint32_t>(i));  // 90000 / 60, to the nearest
      CHECK(parse_video_header(rtp->payload)->buffer_id ==
            ((kBufferIdMask + static_cast<uint32_t>(i)) & kBufferIdMask));
    }
  }
}

TEST_CASE("time stamps increase even if pts jumps back: a looping clip is not discarded as old") {
  PlainPacketizer packetizer(small_settings());
  const auto frame = random_bytes(64, 1);
  const auto timestamp = [&](nanoseconds pts) {
    return parse_rtp(join(packetizer.packetize(frame, pts_only(pts))[0]))->timestamp;
  };
  CHECK(timestamp(0s) == 0);
  CHECK(timestamp(10s) == 900'000);
  CHECK(timestamp(0s) == 901'500);
  CHECK(timestamp(1s) == 991'500);
  CHECK(timestamp(1s) == 993'000);  // also if it stands still
}

TEST_CASE("sizes are rounded up to 4 in UltraGrid's header and exact in the extension") {
  PacketizerSettings settings = small_settings();
  settings.stream.width = 127;
  settings.stream.height = 95;
  PlainPacketizer packetizer(settings);
  const auto rtp_datagram = join(packetizer.packetize(random_bytes(64, 1), {})[0]);
  const auto rtp = parse_rtp(rtp_datagram);
  const auto video = parse_video_header(rtp->payload);
  CHECK(video->width == 128);
  CHECK(video->height == 96);
  const auto extension = parse_stream_extension(rtp->extension);
  CHECK(extension->width == 127);
  CHECK(extension->height == 95);
}

TEST_CASE("a frame that becomes final in bands yields the same packets, each as soon as its bytes are final") {
  PlainPacketizer at_once(small_settings());
  PlainPacketizer in_bands(small_settings());
  const auto frame = random_bytes(20'000, 1);
  for (const size_t band : {size_t{1}, size_t{500}, size_t{4096}, size_t{20'000}}) {
    CAPTURE(band);
    const auto want = datagrams(at_once, frame);
    std::vector<Datagram> got;
    in_bands.begin(frame, {});
    size_t sent_bytes = 0;
    for (size_t ready = 0;; ready = std::min(ready + band, frame.size())) {
      for (const OutgoingPacket& packet : in_bands.advance(ready)) {
        got.push_back(join(packet));
        sent_bytes += packet.payload.size();
      }
      REQUIRE(sent_bytes <= ready);
      REQUIRE(ready - sent_bytes < static_cast<size_t>(in_bands.max_payload()));
      if (ready == frame.size()) break;
    }
    CHECK(got == want);
  }
}

TEST_CASE("reserved bytes make every datagram smaller, by whole blocks") {
  PacketizerSettings settings = small_settings();
  settings.mtu = 1500;
  settings.reserved_bytes = 36;
  PlainPacketizer packetizer(settings);
  CHECK(packetizer.max_payload() == 1392);  // 1500 - 20 - 8 - 36 - 36 = 1400
}

TEST_CASE("after the first frame of a size nothing is allocated, and the payload is the frame itself") {
  PacketizerSettings settings = small_settings();
  PlainPacketizer packetizer(settings);
  const auto frame = random_bytes(1'000'000, 1);
  packetizer.packetize(frame, {});
  const uint64_t before = allocations();
  const auto packets = packetizer.packetize(frame, {});
  CHECK(allocations() == before);
  CHECK(packets[0].payload.data() == frame.data());
}

TEST_CASE("without the extension the datagrams are identical to those of a stock UltraGrid sender") {
  // The settings are read from the capture's first packet; everything else must follow from them.
  PcapReader capture(TEXCAST_TEST_DATA "/ultragrid_dxt1.pcap");
  std::vector<Datagram> recorded;
  while (const auto datagram = capture.next())
    if (datagram->port == 6014)  // the last packet is RTCP, on the next port
      recorded.emplace_back(datagram->payload.begin(), datagram->payload.end());
  REQUIRE(recorded.size() == 81);

  size_t at = 0;
  for (int frame_index = 0; frame_index < 3; ++frame_index) {
    const auto first = parse_rtp(recorded[at]);
    REQUIRE(first);
    const auto video = parse_video_header(first->payload);
    PacketizerSettings settings;
    settings.stream = StreamDesc{.fourcc = kFourCcDxt1, .width = 320, .height = 240, .fps = 5};
    settings.extension = false;
    settings.block_bytes = 4;  // 1436 = 359 * 4
    settings.ssrc = first->ssrc;
    settings.first_sequence = first->sequence;
    settings.first_buffer_id = video->buffer_id;
    settings.timestamp_offset = first->timestamp;
    std::vector<std::byte> frame;
    for (size_t i = at; i < at + 27; ++i) frame.insert(frame.end(), recorded[i].begin() + 36, recorded[i].end());
    PlainPacketizer packetizer(settings);
    for (const auto& datagram : datagrams(packetizer, frame)) {
      CAPTURE(at);
      CHECK(datagram == recorded[at++]);
    }
  }
  CHECK(at == recorded.size());
}
