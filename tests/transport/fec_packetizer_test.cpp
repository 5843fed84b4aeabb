// FEC in the sender: UltraGrid's FEC packets compared with a stock sender's, repeated packets, and the values of --fec.
#include <doctest/doctest.h>

#include "support.h"
#include "texcast/error.h"
#include "transport/pcap.h"
#include "transport/ultragrid_fec_packetizer.h"
#include "transport/wire_choice.h"

using namespace texcast;
using namespace texcast::transport;
using namespace texcast::transport::test;

namespace {

FecChoice fec_of(std::string_view text) {
  const Result<FecChoice> choice = parse_fec(text);
  REQUIRE(choice);
  return *choice;
}

}  // namespace

TEST_CASE("UltraGrid's FEC packets: identical to a stock sender's, except for the parity of its garbage") {
  std::vector<Datagram> recorded;
  PcapReader capture(TEXCAST_TEST_DATA "/ultragrid_fec.pcap");
  while (const auto datagram = capture.next())
    recorded.emplace_back(datagram->payload.begin(), datagram->payload.end());
  REQUIRE(recorded.size() == 36 + 51);
  size_t at = 0;
  for (const char* fec : {"ultragrid-rs:200:240", "ultragrid-ldgm:256:192:5"}) {
    CAPTURE(fec);
    const auto first = parse_rtp(recorded[at]);
    REQUIRE(first);
    PacketizerSettings settings;
    settings.stream = StreamDesc{.fourcc = kFourCcDxt1, .width = 320, .height = 240, .fps = 5};
    settings.ssrc = first->ssrc;
    settings.first_sequence = first->sequence;
    settings.first_buffer_id = parse_fec_header(first->payload)->buffer_id;
    settings.timestamp_offset = first->timestamp;
    const auto packetizer = make_packetizer(settings, {.fec = fec_of(fec)});
    // The packets contain the frame after 28 bytes, of which the inner offset (bytes 8..11) is garbage.
    std::vector<std::byte> block(38'400 + 28 + 1500);
    for (size_t i = at; i < recorded.size(); ++i) {
      const auto rtp = parse_rtp(recorded[i]);
      const uint32_t offset = parse_fec_header(rtp->payload)->offset;
      const Bytes piece = rtp->payload.subspan(kFecHeaderBytes);
      if (rtp->payload_type == first->payload_type && offset + piece.size() <= block.size())
        std::ranges::copy(piece, block.begin() + offset);
    }
    const auto packets = packetizer->packetize(Bytes(block).subspan(28, 38'400), {});
    REQUIRE(packets.size() == (at == 0 ? 36 : 51));
    for (const OutgoingPacket& packet : packets) {
      CAPTURE(at);
      Datagram ours = join(packet), theirs = recorded[at++];
      REQUIRE(ours.size() == theirs.size());
      const uint32_t offset = load_be32(ours, 16);
      if (offset == 0) std::fill_n(theirs.begin() + 32 + 8, 4, std::byte{0});
      CHECK(same(Bytes(ours).first(32), Bytes(theirs).first(32)));
      // (In the Reed-Solomon block it happens to be zero, which makes all of it the same.)
      if (at <= 36 || offset + ours.size() - 32 <= 38'428) CHECK(ours == theirs);
    }
  }
}

TEST_CASE("UltraGrid's FEC packets: whole symbols, or symbols that begin packets") {
  for (const size_t size : {1, 500, 2048, 9000, 60'000}) {
    for (const char* fec : {"ultragrid-rs:1:2", "ultragrid-rs:7:9", "ultragrid-rs:100:110", "ultragrid-ldgm:64:70:2"}) {
      CAPTURE(size);
      CAPTURE(fec);
      PacketizerSettings settings = small_settings();
      settings.reserved_bytes = 36;
      const FecShape shape = *fec_shape(fec_of(fec));
      UltraGridFecPacketizer packetizer(settings, shape);
      const auto frame = random_bytes(size, 1);
      const size_t room = 576 - 28 - 32 - 36, symbol = fec_symbol_bytes(shape, size);
      for (int n = 0; n < 2; ++n) {
        packetizer.begin(frame, pts_only(n * 100ms));
        std::vector<OutgoingPacket> packets;
        for (const size_t ready : {size_t{0}, size / 3, size / 2, size}) {
          for (const OutgoingPacket& packet : packetizer.advance(ready)) {
            packets.push_back(packet);
            // Sent packets contain only final bytes: headers, frame, or everything.
            if (ready < size) REQUIRE(load_be32(packet.header, 16) + packet.payload.size() <= 28 + ready);
          }
        }
        CHECK(packetizer.advance(size).empty());
        size_t offset = 0;
        for (size_t i = 0; i < packets.size(); ++i) {
          const auto datagram = join(packets[i]);
          const auto rtp = parse_rtp(datagram);
          const auto header = parse_fec_header(rtp->payload);
          const bool last = i + 1 == packets.size();
          REQUIRE(rtp->sequence ==
                  static_cast<uint16_t>(100 + n * static_cast<int>(packets.size()) + static_cast<int>(i)));
          REQUIRE(rtp->marker == last);
          REQUIRE(header->buffer_id == 7 + static_cast<uint32_t>(n));
          REQUIRE(header->offset == (last ? 0 : offset));
          REQUIRE(header->block_length == symbol * static_cast<size_t>(shape.k + shape.m));
          REQUIRE(is_plausible(shape.scheme, *header));
          const size_t piece = packets[i].payload.size();
          if (last) {
            REQUIRE(piece == packets[0].payload.size());
            REQUIRE(offset == header->block_length);
            break;
          }
          REQUIRE(piece <= room);
          const bool ends = offset + piece == header->block_length;
          if (symbol <= room)
            REQUIRE((piece == room / symbol * symbol || ends));
          else
            REQUIRE((piece == room || (offset + piece) % symbol == 0));
          if (symbol > room) REQUIRE(offset / symbol == (offset + piece - 1) / symbol);
          offset += piece;
        }
      }
    }
  }
}

TEST_CASE("mult: the frame's packets again with new sequence numbers, the marker only on the last copy") {
  const auto frame = random_bytes(kSmallFrame, 1);
  PlainPacketizer plain(small_settings());
  const auto packetizer = make_packetizer(small_settings(), {.fec = fec_of("mult:3")});
  uint16_t sequence = 100;
  for (int n = 0; n < 3; ++n) {
    const auto once = datagrams(plain, frame, pts_only(n * 100ms));
    packetizer->begin(frame, pts_only(n * 100ms));
    std::vector<Datagram> all;
    for (const size_t ready : {size_t{1000}, kSmallFrame, kSmallFrame})
      for (const OutgoingPacket& packet : packetizer->advance(ready)) all.push_back(join(packet));
    REQUIRE(all.size() == 3 * once.size());
    for (size_t i = 0; i < all.size(); ++i) {
      Datagram want = once[i % once.size()];
      want[1] = static_cast<std::byte>(20 | (i + 1 == all.size() ? 0x80 : 0));
      store_be16(want, 2, sequence++);
      CHECK(all[i] == want);
    }
  }
}

TEST_CASE("--fec: accepted values") {
  CHECK(fec_of("none") == FecChoice{});
  CHECK(fec_of("auto").kind == FecKind::automatic);
  CHECK(fec_of("10%") == FecChoice{.kind = FecKind::parity, .percent = 10});
  CHECK(fec_of("ultragrid-rs:200:240") == FecChoice{.kind = FecKind::ultragrid_rs, .k = 200, .m = 40});
  CHECK(fec_of("ultragrid-ldgm:512:384:5") == FecChoice{.kind = FecKind::ultragrid_ldgm, .k = 512, .m = 384, .c = 5});
  CHECK(fec_of("mult:2") == FecChoice{.copies = 2});
  for (const char* text : {"none", "auto", "1%", "100%", "ultragrid-rs:1:255", "ultragrid-ldgm:64:8191:63", "mult:10"})
    CHECK(to_string(fec_of(text)) == text);
  for (const char* wrong : {"",
                            "yes",
                            "0%",
                            "101%",
                            "%",
                            "10 %",
                            "-5%",
                            "1e1%",
                            "ultragrid-rs",
                            "ultragrid-rs:",
                            "ultragrid-rs:200",
                            "ultragrid-rs:200:200",
                            "ultragrid-rs:0:5",
                            "ultragrid-rs:200:256",
                            "ultragrid-rs:200:240:1",
                            "ultragrid-rs:200:240x",
                            "ultragrid-rs:99999999999:5",
                            "ultragrid-ldgm:63:64:2",
                            "ultragrid-ldgm:64:63:2",
                            "ultragrid-ldgm:64:64:1",
                            "ultragrid-ldgm:64:64:64",
                            "ultragrid-ldgm:8192:64:2",
                            "ultragrid-ldgm:64:64",
                            "mult:1",
                            "mult:11",
                            "mult:",
                            "mult"}) {
    CAPTURE(wrong);
    const auto choice = parse_fec(wrong);
    REQUIRE_FALSE(choice);
    CHECK(choice.error().message.find(std::string("'") + wrong + "'") == 0);
  }
}

TEST_CASE("--fec: UltraGrid's codes refuse sizes that its header cannot express") {
  PacketizerSettings settings = small_settings();
  settings.stream.width = 854;
  CHECK_THROWS_AS(make_packetizer(settings, {.fec = fec_of("ultragrid-rs:200:240")}), Error);
  CHECK_NOTHROW(make_packetizer(settings, {.fec = fec_of("mult:2")}));
  settings.stream.width = 852;
  CHECK_NOTHROW(make_packetizer(settings, {.fec = fec_of("ultragrid-rs:200:240")}));
}

TEST_CASE("FEC packets and repeated ones allocate nothing after the first frame") {
  const auto frame = random_bytes(100'000, 1);
  for (const char* fec : {"ultragrid-rs:50:60", "ultragrid-ldgm:100:64:4", "mult:2"}) {
    const auto packetizer = make_packetizer(small_settings(), {.fec = fec_of(fec)});
    const auto send = [&](int n) {
      packetizer->begin(frame, pts_only(n * 100ms));
      (void)packetizer->advance(n % 2 ? 0 : 50'000);
      (void)packetizer->advance(frame.size());
    };
    send(0);
    send(1);
    const uint64_t before = allocations();
    send(2);
    send(3);
    CHECK(allocations() == before);
  }
}
