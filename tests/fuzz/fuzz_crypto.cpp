// Any bytes through everything that decrypts: the first byte selects it, the rest is the input. Decrypted data must
// have the size that follows from the length of the input. Data that is encrypted here must decrypt to the same bytes,
// and a damaged copy must be refused.
#include <algorithm>
#include <array>
#include <vector>

#include "../transport/secret_keys.h"
#include "base/ensure.h"
#include "transport/packet_opener.h"
#include "transport/sealing.h"
#include "transport/ultragrid_cipher.h"

using namespace texcast;
using namespace texcast::transport;

namespace {

void open_blob(const WireKeys& keys, uint8_t mode, Bytes input) {
  static UltraGridCipher cipher(keys);
  const Bytes aad = input.first(std::min<size_t>(input.size(), 24));
  const Bytes blob = input.subspan(aad.size());
  std::vector<std::byte> scratch(blob.size());  // no larger, so that a sanitizer sees a byte too many
  if (const auto plain = cipher.open(mode, aad, blob, scratch))
    ENSURE(UltraGridCipher::blob_bytes(static_cast<UltraGridMode>(mode), plain->size()) == blob.size());
}

void seal_blob(const WireKeys& keys, uint8_t mode, Bytes input) {
  static UltraGridCipher cipher(keys);
  const auto known = static_cast<UltraGridMode>(1 + mode % 5);
  std::vector<std::byte> blob(UltraGridCipher::blob_bytes(known, input.size()));
  cipher.seal(known, input.first(input.size() / 2), input, blob);
  std::vector<std::byte> scratch(blob.size());
  const auto plain = cipher.open(static_cast<uint8_t>(known), input.first(input.size() / 2), blob, scratch);
  ENSURE(plain && std::ranges::equal(*plain, input));
}

void open_packet(const std::shared_ptr<const WireKeys>& keys, int which, Bytes input) {
  // One for each cipher; the first byte of the input selects it.
  static std::array<PacketOpener, kOpenedCryptoChoices.size()> openers{
      PacketOpener(keys, kOpenedCryptoChoices[0]), PacketOpener(keys, kOpenedCryptoChoices[1]),
      PacketOpener(keys, kOpenedCryptoChoices[2]), PacketOpener(keys, kOpenedCryptoChoices[3]),
      PacketOpener(keys, kOpenedCryptoChoices[4]), PacketOpener(keys, kOpenedCryptoChoices[5])};
  PacketOpener& opener = openers[which % openers.size()];
  const auto readable = opener.open(input, WallTime{});
  if (!readable) return;
  auto rtp = parse_rtp(*readable);
  if (!rtp || !is_video(rtp->payload_type) || !opener.open_media(*rtp)) return;
  ENSURE(!is_encrypted(rtp->payload_type));
  volatile unsigned sum = 0;
  for (const std::byte b : rtp->payload) sum = sum + std::to_integer<unsigned>(b);
}

void seal_packet(const std::shared_ptr<const WireKeys>& keys, Bytes input) {
  static Sealer sealer(*keys);
  static Opener opener(keys);
  if (input.size() > 60'000) return;
  std::vector<std::byte> sealed(input.size() + kSealOverhead);
  sealer.seal(input.first(input.size() / 3), input.subspan(input.size() / 3), sealed, WallTime{});
  const size_t at = input.empty() ? 0 : std::to_integer<size_t>(input[0]) * 257 % sealed.size();
  sealed[at] ^= std::byte{1};
  ENSURE(opener.open(sealed, WallTime{}).outcome == Opener::Outcome::refused);
  sealed[at] ^= std::byte{1};
  const auto opened = opener.open(sealed, WallTime{});
  ENSURE(opened.outcome == Opener::Outcome::opened && std::ranges::equal(opened.datagram, input));
  ENSURE(opener.open(sealed, WallTime{}).outcome == Opener::Outcome::replayed);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const auto keys = test::secret_keys({std::byte{7}});
  if (size == 0) return 0;
  const Bytes input(reinterpret_cast<const std::byte*>(data) + 1, size - 1);
  switch (data[0] >> 4) {
    case 0: open_blob(*keys, data[0] & 0xF, input); break;
    case 1: seal_blob(*keys, data[0] & 0xF, input); break;
    case 2: seal_packet(keys, input); break;
    default: open_packet(keys, data[0] & 0xF, input); break;
  }
  return 0;
}
