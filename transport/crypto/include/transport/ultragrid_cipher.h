// ultragrid_cipher.h — UltraGrid's encryption of the data that follows a media header: AES-128 with MD5(passphrase) as
// key. GCM authenticates; the other modes have only a CRC32, which detects a wrong key or damage but no forgery.
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

// The mode for sending with a choice; nothing if it is not UltraGrid's.
std::optional<UltraGridMode> ultragrid_mode(CryptoChoice choice);

// Not thread-safe: use one per direction and thread. Allocates only when constructed.
class UltraGridCipher {
 public:
  explicit UltraGridCipher(const WireKeys& keys);
  UltraGridCipher(UltraGridCipher&&) noexcept;
  ~UltraGridCipher();

  // `mode` and `aad`, the media header (24 or 20 bytes), are those of the packet. The plaintext is written to
  // `scratch`, which must be at least as large as `blob` and not overlap it (misuse otherwise). Nothing if the mode is
  // unknown, a length is wrong or the check fails; the content of `scratch` is undefined then. A GCM blob is tried with
  // the IV length of the previous one, then with the other (16 and 12: UltraGrid's crypto libraries differ).
  std::optional<Bytes> open(uint8_t mode, Bytes aad, Bytes blob, MutableBytes scratch);

  // The size of a blob with this much plaintext, and the largest overhead of a blob.
  static size_t blob_bytes(UltraGridMode mode, size_t plain_bytes);
  static size_t overhead(UltraGridMode mode);
  // Writes the blob to the beginning of `out` (at least blob_bytes(), not overlapping `plain`) and returns it. The IV
  // is random; GCM too uses all 16 bytes of it.
  Bytes seal(UltraGridMode mode, Bytes aad, Bytes plain, MutableBytes out);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace texcast::transport
