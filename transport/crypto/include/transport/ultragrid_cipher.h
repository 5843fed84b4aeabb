// ultragrid_cipher.h — UltraGrid's encryption of what follows a media header: AES-128 under MD5(passphrase). GCM
// authenticates; the other modes only have a CRC32, which finds a wrong key or damage but no forger.
//
//   blob = plaintext length (4, little-endian) | IV (16) | ciphertext | GCM: tag (16)
//   ciphertext of the others = of plaintext | CRC32 of (AAD | plaintext), little-endian; CBC and ECB padded by PKCS#7
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "base/bytes.h"
#include "transport/crypto_choice.h"
#include "transport/wire_keys.h"

namespace texcast::transport {

// CryptoHeader::mode.
enum class UltraGridMode : uint8_t { ctr = 1, cfb = 2, ecb = 3, cbc = 4, gcm = 5 };

// What a choice sends; nothing for those that are not UltraGrid's.
std::optional<UltraGridMode> ultragrid_mode(CryptoChoice choice);

// Not thread-safe: one for each direction of each thread. Allocates only when made.
class UltraGridCipher {
 public:
  explicit UltraGridCipher(const WireKeys& keys);
  UltraGridCipher(UltraGridCipher&&) noexcept;
  ~UltraGridCipher();

  // `mode` as it came from the wire. `aad` is the media header (24 or 20 bytes) as it came. The plaintext lies in
  // `scratch`, which is as large as `blob` at least and apart from it (misuse otherwise). Nothing where the mode is
  // unknown, a length is wrong or the check fails; then `scratch` holds nothing worth reading. A GCM blob is tried with
  // the IV length that the last one had, then with the other (16 and 12: UltraGrid's crypto libraries differ).
  std::optional<Bytes> open(uint8_t mode, Bytes aad, Bytes blob, MutableBytes scratch);

  // The bytes of a blob of so much plaintext, and the most that it has more.
  static size_t blob_bytes(UltraGridMode mode, size_t plain_bytes);
  static size_t overhead(UltraGridMode mode);
  // Fills the front of `out` (blob_bytes() at least, apart from `plain`), gives the blob. The IV is random, and 16
  // bytes of it count in GCM too.
  Bytes seal(UltraGridMode mode, Bytes aad, Bytes plain, MutableBytes out);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace texcast::transport
