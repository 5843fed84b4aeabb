// sealing.h — texcast's own encryption: whole datagrams, each in an envelope that nobody without the passphrase can
// make, change or read.
//
//   'T' 'C' 1 1 | session (8, random) | counter (8, big-endian) | ciphertext of a datagram | tag (16)
//
// ChaCha20-Poly1305 (RFC 8439). Key: BLAKE2b of the session, keyed by the master key; nonce: four zeros and the
// counter; everything before the ciphertext is authenticated too. docs/wire.md says what holds and what does not.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/bytes.h"
#include "transport/wire_keys.h"

namespace texcast::transport {

inline constexpr size_t kSealHeaderBytes = 20;
inline constexpr size_t kSealTagBytes = 16;
inline constexpr size_t kSealOverhead = kSealHeaderBytes + kSealTagBytes;

// Whether a datagram says that it is sealed. The first byte's upper two bits are not RTP's version, so it is no RTP.
bool is_sealed(Bytes datagram);

// Seals datagrams of one session, which begins with it. Not thread-safe; allocates nothing after it is made.
class Sealer {
 public:
  explicit Sealer(const WireKeys& keys);
  // The datagram is `header` and `payload` together; `out` has room for kSealOverhead more and overlaps neither. Gives
  // the sealed one, the front of `out`. Every call has a counter of its own: sealing the same again gives other bytes.
  Bytes seal(Bytes header, Bytes payload, MutableBytes out);

 private:
  struct Session {
    std::array<unsigned char, 32> key;
    std::array<std::byte, kSealHeaderBytes> header;
  };
  Secret<Session> session_;
  uint64_t counter_ = 0;
};

// Opens what any Sealer with the same passphrase has sealed, once each. Not thread-safe; allocates nothing after it is
// made. A stranger's packet costs one BLAKE2b and one Poly1305 over it, and leaves no trace.
class Opener {
 public:
  enum class Outcome : uint8_t {
    opened,
    refused,   // not made under this passphrase, or damaged, or no sealed datagram at all
    replayed,  // genuine, but it came before, is too old to tell, or is of a session that others have displaced
  };
  struct Opened {
    Outcome outcome = Outcome::refused;
    Bytes datagram{};  // valid until the next open(); may have any length, none included
  };

  static constexpr uint64_t kWindow = 8128;  // packets that may be overtaken, a session
  static constexpr int kSessions = 64;       // that are remembered with their windows
  static constexpr int kForgotten = 4096;    // displaced ones that are known as such

  explicit Opener(std::shared_ptr<const WireKeys> keys);
  ~Opener();
  Opened open(Bytes sealed);

 private:
  struct State;
  std::shared_ptr<const WireKeys> keys_;
  std::unique_ptr<State> state_;
};

}  // namespace texcast::transport
