// encrypting_test.cpp — packetizers that encrypt around another: what leaves them, against what went in.
#include <doctest/doctest.h>

#include "crypto/sealing.h"
#include "crypto/ultragrid_cipher.h"
#include "support.h"
#include "transport/packet.h"
#include "transport/wire_choice.h"

using namespace texcast;
using namespace texcast::transport;
using namespace texcast::transport::test;

namespace {

constexpr std::array kEncrypting{CryptoChoice::texcast, CryptoChoice::ultragrid_gcm, CryptoChoice::ultragrid_cbc,
                                 CryptoChoice::ultragrid_ctr, CryptoChoice::ultragrid_cfb};

std::shared_ptr<const WireKeys> some_keys() {
  return WireKeys::of({std::byte{1}, std::byte{2}}, {std::byte{3}, std::byte{4}});
}

// The datagrams of a frame as they would be without encryption, but with the room for it.
std::vector<Datagram> in_the_clear(PacketizerSettings settings, CryptoChoice crypto, Bytes frame) {
  settings.reserved_bytes = reserved_bytes(crypto);
  PlainPacketizer plain(settings);
  return datagrams(plain, frame);
}

// What UltraGrid's receiver would make of an encrypted datagram: the one that it was.
Datagram decipher(UltraGridCipher& cipher, Bytes datagram) {
  const auto rtp = parse_rtp(datagram);
  REQUIRE(rtp);
  REQUIRE(rtp->payload_type == 24);
  const size_t headers = datagram.size() - rtp->payload.size() + kVideoHeaderBytes;
  const auto crypto = parse_crypto_header(datagram.subspan(headers));
  REQUIRE(crypto);
  const Bytes blob = datagram.subspan(headers + kCryptoHeaderBytes);
  Datagram scratch(blob.size());
  const auto piece = cipher.open(crypto->mode, datagram.first(headers).last(kVideoHeaderBytes), blob, scratch);
  REQUIRE(piece);
  Datagram plain(datagram.begin(), datagram.begin() + static_cast<std::ptrdiff_t>(headers));
  plain[1] = (plain[1] & std::byte{0x80}) | std::byte{20};
  plain.insert(plain.end(), piece->begin(), piece->end());
  return plain;
}

}  // namespace

TEST_CASE("names of the ways to encrypt") {
  for (const CryptoChoice choice : kEncrypting) CHECK(parse_crypto_choice(name(choice)) == choice);
  CHECK(name(CryptoChoice::ultragrid_gcm) == "ultragrid-gcm");
  for (const std::string_view word : {"", "none", "gcm", "TEXCAST", "ultragrid-ecb"})
    CHECK_FALSE(parse_crypto_choice(word));
}

TEST_CASE("encrypted datagrams hold the plain ones, fill the MTU, and exceed it by nothing") {
  const auto keys = some_keys();
  const auto frame = random_bytes(20'001, 3);
  for (const CryptoChoice crypto : kEncrypting)
    for (const bool extension : {true, false})
      for (const int block_bytes : {1, 16}) {
        CAPTURE(name(crypto));
        CAPTURE(extension);
        PacketizerSettings settings = small_settings();
        settings.mtu = 1500;
        settings.extension = extension;
        settings.block_bytes = block_bytes;
        const auto plain = in_the_clear(settings, crypto, frame);
        const auto packetizer = make_packetizer(settings, {.crypto = crypto, .keys = keys});
        Opener opener(keys);
        UltraGridCipher cipher(*keys);
        const auto sent = datagrams(*packetizer, frame);
        REQUIRE(sent.size() == plain.size());
        for (size_t i = 0; i < sent.size(); ++i) {
          CHECK(sent[i].size() <= 1500 - 28);
          if (i + 1 < sent.size()) CHECK(sent[i].size() == sent[0].size());
          if (crypto == CryptoChoice::texcast)
            CHECK(same(opener.open(sent[i]).datagram, plain[i]));
          else
            CHECK(same(decipher(cipher, sent[i]), plain[i]));
        }
        // CBC's padding takes 1 to 16 bytes of the 16 that are left for it.
        if (block_bytes == 1) CHECK(sent[0].size() >= 1500 - 28 - 15);
      }
}

TEST_CASE("encrypting packetizers pass bands on as they come, and allocate nothing after the first frame") {
  const auto keys = some_keys();
  const auto frame = random_bytes(300'000, 4);
  for (const CryptoChoice crypto : {CryptoChoice::texcast, CryptoChoice::ultragrid_cbc}) {
    const auto packetizer = make_packetizer(small_settings(), {.crypto = crypto, .keys = keys});
    Opener opener(keys);
    uint64_t allocated = 0;
    for (int round = 0; round < 3; ++round) {
      const uint64_t before = allocations();
      packetizer->begin(frame, pts_only(round * 16ms));
      const auto first = packetizer->advance(100'000);
      const auto nothing = packetizer->advance(100'000);
      const auto rest = packetizer->advance(frame.size());
      allocated = allocations() - before;
      CHECK(nothing.empty());
      CHECK(first.size() + rest.size() > 300'000 / 576);
      if (crypto != CryptoChoice::texcast) continue;
      for (const auto packets : {first, rest})  // the first's are still what they were
        for (const OutgoingPacket& packet : packets)
          CHECK(opener.open(packet.header).outcome == Opener::Outcome::opened);
    }
    CHECK(allocated == 0);
  }
}
