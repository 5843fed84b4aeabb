// crypto_test.cpp — UltraGrid's ciphers and texcast's own encryption. Known answers come from OpenSSL 3.0 (EVP;
// Python's cryptography), zlib, Python's hashlib and the reference implementation of Argon2, or from the named
// standard; the capture is from a stock UltraGrid.
#include <doctest/doctest.h>

#include <array>
#include <map>
#include <string_view>

#include "capture_bound.h"
#include "sha256.h"
#include "support.h"
#include "transport/packet.h"
#include "transport/pcap.h"
#include "transport/replay_window.h"
#include "transport/sealing.h"
#include "transport/ultragrid_cipher.h"

using namespace texcast;
using namespace texcast::transport;
using namespace texcast::transport::test;
using OpenOutcome = Opener::Outcome;

namespace {

Datagram unhex(std::string_view digits) {
  Datagram bytes;
  for (size_t i = 0; i + 1 < digits.size(); i += 2)
    bytes.push_back(static_cast<std::byte>(std::stoi(std::string(digits.substr(i, 2)), nullptr, 16)));
  return bytes;
}

Datagram text(std::string_view words) {
  const Bytes bytes = as_bytes_of(words);
  return {bytes.begin(), bytes.end()};
}

// first, first + 1 …
template <size_t kSize>
std::array<std::byte, kSize> rising(int first = 0) {
  std::array<std::byte, kSize> bytes;
  for (size_t i = 0; i < kSize; ++i) bytes[i] = static_cast<std::byte>(first + static_cast<int>(i));
  return bytes;
}

std::shared_ptr<const WireKeys> counting_keys() { return WireKeys::of(rising<32>(), rising<16>()); }

constexpr std::array kAllModes{UltraGridMode::ctr, UltraGridMode::cfb, UltraGridMode::ecb, UltraGridMode::cbc,
                               UltraGridMode::gcm};

struct Cipher {
  explicit Cipher(const WireKeys& keys = *counting_keys()) : cipher(keys) {}
  std::optional<Bytes> open(UltraGridMode mode, Bytes aad, Bytes blob) {
    scratch.assign(blob.size(), std::byte{0xEE});
    return cipher.open(static_cast<uint8_t>(mode), aad, blob, scratch);
  }
  Datagram seal(UltraGridMode mode, Bytes aad, Bytes plain) {
    Datagram out(UltraGridCipher::blob_bytes(mode, plain.size()));
    CHECK(cipher.seal(mode, aad, plain, out).size() == out.size());
    return out;
  }
  UltraGridCipher cipher;
  Datagram scratch;
};

constexpr WallTime kNow{1'700'000'000s};

Datagram seal_one(Sealer& sealer, Bytes datagram) {
  Datagram out(datagram.size() + kSealOverhead);
  CHECK(sealer.seal(datagram, {}, out, kNow).size() == out.size());
  return out;
}

}  // namespace

TEST_CASE("UltraGrid's modes open blobs made by OpenSSL") {
  const auto aad = rising<24>();
  const Datagram plain = text("Twenty-one plain byte");
  const std::string start = "15000000f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff";
  const std::map<UltraGridMode, std::string> bodies{
      {UltraGridMode::gcm, "bbb5d3969331d4bc2d4233e972dbe54da215134ec09c9aeb58a549c57715538edcc345933b"},
      {UltraGridMode::ctr, "32d0a286402b1c27f934fe775f77c4c392e3ae74d2ae4d80d3"},
      {UltraGridMode::cfb, "32d0a286402b1c27f934fe775f77c4c386368962a632fc09a8"},
      {UltraGridMode::ecb, "b1e5dc93dbea4000fd6366f360c194a94776d4b85bae3d30c7958c6287c3326c"},
      {UltraGridMode::cbc, "6d6e4bf1406680ed096dad928b263b143914c0a22c02bbf74cce86f149f55484"}};
  Cipher cipher;
  for (const auto& [mode, body] : bodies) {
    CAPTURE_BOUND(static_cast<int>(mode));
    const auto opened = cipher.open(mode, aad, unhex(start + body));
    REQUIRE(opened);
    CHECK(same(*opened, plain));
  }
}

// Test case 4 of McGrew and Viega, The Galois/Counter Mode of Operation: the 12-byte IV.
TEST_CASE("GCM with a 12-byte IV is detected, and so is the change back") {
  WireKeys::UltraGridKey key;
  const Datagram standard_key = unhex("feffe9928665731c6d6a8f9467308308");
  std::ranges::copy(standard_key, key.begin());
  Cipher cipher(*WireKeys::of({}, key));
  const Datagram aad = unhex("feedfacedeadbeeffeedfacedeadbeefabaddad2");
  const Datagram blob = unhex(
      "3c000000cafebabefacedbaddecaf88830adb679"
      "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac97"
      "3d58e0915bc94fbc3221a5db94fae95ae7121a47");
  const Datagram plain = unhex(
      "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657"
      "ba637b39");
  for (int round = 0; round < 2; ++round) {
    const auto opened = cipher.open(UltraGridMode::gcm, aad, blob);
    REQUIRE(opened);
    CHECK(same(*opened, plain));
    const auto own = cipher.open(UltraGridMode::gcm, aad, cipher.seal(UltraGridMode::gcm, aad, plain));  // 16 bytes
    REQUIRE(own);
    CHECK(same(*own, plain));
  }
}

TEST_CASE("a CBC frame of a stock UltraGrid is decrypted to its original") {
  PcapReader capture(TEXCAST_TEST_DATA "/ultragrid_cbc.pcap");
  Cipher cipher(*WireKeys::derive("secret:cipher=cbc"));
  Datagram frame;
  int packets = 0;
  while (const auto datagram = capture.next()) {
    const auto rtp = parse_rtp(datagram->payload);
    REQUIRE(rtp);
    REQUIRE(rtp->payload_type == static_cast<uint8_t>(PayloadType::video_encrypted));
    const auto video = parse_video_header(rtp->payload);
    const auto crypto = parse_crypto_header(rtp->payload.subspan(kVideoHeaderBytes));
    REQUIRE((video && crypto));
    CHECK(crypto->mode == static_cast<uint8_t>(UltraGridMode::cbc));
    const auto piece = cipher.open(UltraGridMode::cbc, rtp->payload.first(kVideoHeaderBytes),
                                   rtp->payload.subspan(kVideoHeaderBytes + kCryptoHeaderBytes));
    REQUIRE(piece);
    frame.resize(video->length);
    REQUIRE(video->offset + piece->size() <= frame.size());
    std::ranges::copy(*piece, frame.begin() + video->offset);
    ++packets;
  }
  CHECK(packets == 28);
  CHECK(sha256_hex(frame) == "26495199ae1a72e04e6b4028d523592b1171570871e572c46a2fe88be5c125b6");
}

TEST_CASE("UltraGrid's modes open what they sealed, at any length, and their IVs differ") {
  Cipher cipher;
  const auto aad = rising<20>();
  for (const UltraGridMode mode : kAllModes)
    for (size_t size = 0; size <= 49; ++size) {
      CAPTURE(static_cast<int>(mode));
      CAPTURE(size);
      const auto plain = random_bytes(size, static_cast<uint32_t>(size));
      const Datagram blob = cipher.seal(mode, aad, plain);
      CHECK(blob.size() <= size + UltraGridCipher::overhead(mode));
      const auto opened = cipher.open(mode, aad, blob);
      REQUIRE(opened);
      CHECK(same(*opened, plain));
      if (mode != UltraGridMode::ecb) CHECK(cipher.seal(mode, aad, plain) != blob);
    }
}

TEST_CASE("UltraGrid's modes refuse a flipped bit, a truncation, another header, another key, another mode") {
  Cipher cipher;
  auto aad = rising<24>();
  const auto plain = random_bytes(45, 1);
  Cipher stranger(*WireKeys::of({}, rising<16>(1)));
  for (const UltraGridMode mode : kAllModes) {
    CAPTURE(static_cast<int>(mode));
    const Datagram blob = cipher.seal(mode, aad, plain);
    for (size_t at = 0; at < blob.size(); ++at) {
      // ECB has no IV, so its field is free.
      if (mode == UltraGridMode::ecb && at >= 4 && at < 20) continue;
      // The last four of GCM's sixteen bytes matter only if sixteen are tried, as they are here.
      Datagram damaged = blob;
      damaged[at] ^= static_cast<std::byte>(1 << at % 8);
      CAPTURE(at);
      CHECK_FALSE(cipher.open(mode, aad, damaged));
    }
    for (size_t size = 0; size < blob.size(); ++size) CHECK_FALSE(cipher.open(mode, aad, Bytes(blob).first(size)));
    Datagram longer = blob;
    for (int more = 0; more < 20; ++more) {
      longer.push_back(blob.back());
      CHECK_FALSE(cipher.open(mode, aad, longer));
    }
    aad[23] ^= std::byte{1};
    CHECK_FALSE(cipher.open(mode, aad, blob));
    aad[23] ^= std::byte{1};
    CHECK_FALSE(stranger.open(mode, aad, blob));
    for (const UltraGridMode other : kAllModes)
      if (other != mode) CHECK_FALSE(cipher.open(other, aad, blob));
    for (const uint8_t unknown : std::array<uint8_t, 3>{0, 6, 255})
      CHECK_FALSE(cipher.cipher.open(unknown, aad, blob, cipher.scratch));
    REQUIRE(cipher.open(mode, aad, blob));
  }
}

TEST_CASE("the key of a passphrase is Argon2id's, and MD5 for UltraGrid") {
  const auto keys = WireKeys::derive("correct horse");
  // argon2 "texcast sealing1" -id -t 2 -k 65536 -p 1 -l 32
  CHECK(same(keys->master(), unhex("4affb5a853ce85e79694d59fb187c602534b29bedbc07356f6e3808aaa0b7b2d")));
  CHECK(same(keys->ultragrid(), unhex("3cb4e732631f47e6eb961f34554b7cde")));
}

TEST_CASE("a sealed datagram matches docs/wire.md") {
  Opener opener(counting_keys());
  const auto opened = opener.open(
      unhex(
          "54430201010203040506070800000000000000056553f1006553f12a9bfa5105f48aaf0fc66e6f460e488a6bd5611e030973bc4917ad"
          "5176a6d2232d4ef81bfa96"),
      kNow);
  CHECK(opened.session == 0x0102030405060708);
  CHECK(opened.began == 1'700'000'000);
  REQUIRE(opened.outcome == OpenOutcome::opened);
  CHECK(same(opened.datagram, text("A datagram of texcast")));
}

TEST_CASE("sealed datagrams are opened once, in any order within the window") {
  Sealer sealer(*counting_keys());
  Opener opener(counting_keys());
  const Datagram plain = text("header and payload");
  Datagram out(plain.size() + kSealOverhead);
  const Bytes sealed = sealer.seal(Bytes(plain).first(6), Bytes(plain).subspan(6), out, kNow);
  CHECK(is_sealed(sealed));
  CHECK(same(opener.open(sealed, kNow).datagram, plain));
  CHECK(opener.open(sealed, kNow).outcome == OpenOutcome::replayed);

  const auto before_allocations = allocations();
  Datagram held = seal_one(sealer, plain);
  const auto held_allocations = allocations();
  for (uint64_t i = 0; i + 1 < Opener::kWindow; ++i)
    CHECK(opener.open(sealer.seal(plain, {}, out, kNow), kNow).outcome == OpenOutcome::opened);
  CHECK(allocations() == held_allocations);
  CHECK(held_allocations > before_allocations);
  CHECK(opener.open(held, kNow).outcome == OpenOutcome::opened);  // as late as allowed
  CHECK(opener.open(held, kNow).outcome == OpenOutcome::replayed);

  held = seal_one(sealer, plain);
  for (uint64_t i = 0; i < Opener::kWindow; ++i) opener.open(sealer.seal(plain, {}, out, kNow), kNow);
  CHECK(opener.open(held, kNow).outcome == OpenOutcome::replayed);  // one more
}

TEST_CASE("sealed datagrams with a flipped bit, a truncation or another passphrase are refused without a trace") {
  Sealer sealer(*counting_keys());
  Opener opener(counting_keys());
  const Datagram sealed = seal_one(sealer, random_bytes(50, 2));
  for (size_t at = 0; at < sealed.size(); ++at)
    for (int bit = 0; bit < 8; ++bit) {
      Datagram damaged = sealed;
      damaged[at] ^= static_cast<std::byte>(1 << bit);
      CAPTURE(at);
      CHECK(opener.open(damaged, kNow).outcome == OpenOutcome::refused);
    }
  for (size_t size = 0; size < sealed.size(); ++size)
    CHECK(opener.open(Bytes(sealed).first(size), kNow).outcome == OpenOutcome::refused);
  Opener stranger(WireKeys::of(rising<32>(1), {}));
  CHECK(stranger.open(sealed, kNow).outcome == OpenOutcome::refused);
  CHECK(opener.open(sealed, kNow).outcome == OpenOutcome::opened);
}

TEST_CASE("sessions are separate, and a displaced one does not come back") {
  const auto keys = counting_keys();
  Opener opener(keys);
  const Datagram plain = text("a");
  std::vector<Sealer> sealers;
  std::vector<Datagram> first;
  for (int i = 0; i < Opener::kSessions + 1; ++i) {
    sealers.emplace_back(*keys);
    first.push_back(seal_one(sealers.back(), plain));
  }
  for (int i = 0; i < Opener::kSessions; ++i) CHECK(opener.open(first[i], kNow).outcome == OpenOutcome::opened);
  for (int i = 0; i < Opener::kSessions; ++i) CHECK(opener.open(first[i], kNow).outcome == OpenOutcome::replayed);
  CHECK(opener.open(seal_one(sealers[0], plain), kNow).outcome == OpenOutcome::opened);  // now the second is the oldest
  CHECK(opener.open(first.back(), kNow).outcome == OpenOutcome::opened);                 // takes its place
  CHECK(opener.open(first[1], kNow).outcome == OpenOutcome::replayed);
  CHECK(opener.open(seal_one(sealers[1], plain), kNow).outcome == OpenOutcome::replayed);
  CHECK(opener.open(seal_one(sealers[0], plain), kNow).outcome == OpenOutcome::opened);
}

TEST_CASE("replay window at its edges") {
  constexpr uint64_t kReach = ReplayWindow::kReach;
  static_assert(kReach >= 4096);
  for (const uint64_t start : {uint64_t{0}, uint64_t{1}, uint64_t{63}, uint64_t{64}, uint64_t{1} << 32}) {
    CAPTURE(start);
    ReplayWindow window;
    CHECK(window.accept(start));
    CHECK_FALSE(window.accept(start));
    CHECK(window.accept(start + kReach - 1));
    CHECK_FALSE(window.accept(start));  // within reach, and seen
    CHECK(window.accept(start + 1));
    CHECK(window.accept(start + kReach));
    CHECK_FALSE(window.accept(start));      // out of reach
    CHECK_FALSE(window.accept(start + 1));  // within reach, and seen
    CHECK(window.accept(start + 2));
  }
  ReplayWindow window;
  CHECK(window.accept(UINT64_MAX - 1));
  CHECK(window.accept(UINT64_MAX));
  CHECK_FALSE(window.accept(UINT64_MAX));
  CHECK_FALSE(window.accept(UINT64_MAX - 1));
  CHECK_FALSE(window.accept(UINT64_MAX - kReach));
  CHECK(window.accept(UINT64_MAX - kReach + 1));
  CHECK_FALSE(window.accept(0));

  // Compared with a set that forgets nothing, at random steps in both directions.
  ReplayWindow walked;
  std::mt19937_64 random(5);
  std::map<uint64_t, bool> seen;
  uint64_t highest = 0;
  for (int i = 0; i < 30'000; ++i) {
    const uint64_t jump = i % 3000 == 2999 ? random() % (3 * kReach) : random() % 20;
    const uint64_t back = random() % (i % 10 == 0 ? kReach + 200 : 40);
    const uint64_t at = highest + jump - std::min(back, highest + jump);
    const bool fresh = !seen[at] && (at > highest || highest - at < kReach || i == 0);
    if (walked.accept(at) != fresh) FAIL("counter " << at << " after " << highest);
    if (fresh) seen[at] = true;
    highest = std::max(highest, at);
  }
}
