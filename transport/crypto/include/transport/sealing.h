// sealing.h — texcast's own encryption: whole datagrams, each in an envelope that nobody without the passphrase can
// make, change or read.
//
//   'T' 'C' 2 1 | session (8, random) | counter (8) | began (4) | sealed (4) | ciphertext of a datagram | tag (16)
//
// Numbers are big-endian; the times are seconds since 1970: when the session began, and when this datagram was sealed.
// ChaCha20-Poly1305 (RFC 8439). Key: BLAKE2b of session and beginning, keyed by the master key; nonce: four zeros and
// the counter; everything before the ciphertext is authenticated too. docs/wire.md says what holds and what does not.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/bytes.h"
#include "base/work_ahead.h"
#include "texcast/frame_times.h"
#include "transport/wire_keys.h"

namespace texcast::transport {

inline constexpr size_t kSealHeaderBytes = 28;
inline constexpr size_t kSealTagBytes = 16;
inline constexpr size_t kSealOverhead = kSealHeaderBytes + kSealTagBytes;

// Whether a datagram says that it is sealed. The first byte's upper two bits are not RTP's version, so it is no RTP.
bool is_sealed(Bytes datagram);
// Whether it was sealed by a texcast of before, whose sessions had no time.
bool is_sealed_of_old(Bytes datagram);

// Seals datagrams of one session, which begins with the first. Not thread-safe but for seal_as(); allocates nothing
// after it is made.
class Sealer {
 public:
  explicit Sealer(const WireKeys& keys);
  // The datagram is `header` and `payload` together; `out` has room for kSealOverhead more and overlaps neither. Gives
  // the sealed one, the front of `out`. Every call has a counter of its own: sealing the same again gives other bytes.
  // `now`: a receiver that does not know the session takes it only where its own clock says nearly the same.
  Bytes seal(Bytes header, Bytes payload, MutableBytes out, WallTime now);
  // The same in two steps, for several threads. Counters for `count` datagrams, the first of them:
  uint64_t reserve(uint64_t count, WallTime now);
  // and seal() with one of these, which must be used for one datagram only. From any thread, also beside reserve().
  Bytes seal_as(uint64_t counter, Bytes header, Bytes payload, MutableBytes out, WallTime now) const;

 private:
  struct Session {
    std::array<unsigned char, 32> key;
    std::array<std::byte, kSealHeaderBytes> header;
  };
  Secret<WireKeys::MasterKey> master_;  // until the session begins
  Secret<Session> session_;
  bool begun_ = false;
  uint64_t counter_ = 0;  // of the next
};

// Opens what any Sealer with the same passphrase has sealed, once each. Not thread-safe; allocates nothing after it is
// made. A stranger's packet costs one BLAKE2b and one Poly1305 over it, and leaves no trace.
class Opener {
 public:
  enum class Outcome : uint8_t {
    opened,
    refused,   // not made under this passphrase, or damaged, or no sealed datagram at all
    replayed,  // genuine, but it came before, is too old to tell, or is of a session that others have displaced
    // Genuine, and of a session that is not known, but the time in it is not now. Nothing is remembered of it.
    too_old,
    from_the_future,
  };
  struct Opened {
    Outcome outcome = Outcome::refused;
    Bytes datagram{};      // valid until the next open() or expect(); may have any length, none included
    uint64_t session = 0;  // opened: of whose, and when that began, seconds since 1970
    uint32_t began = 0;
    int64_t seconds = 0;  // too_old, from_the_future: between its time and now
  };

  static constexpr uint64_t kWindow = 8128;  // packets that may be overtaken, a session
  static constexpr int kSessions = 64;       // that are remembered with their windows
  static constexpr int kForgotten = 4096;    // displaced ones that are known as such

  // `max_age`: how far the time in a session's first datagram may be from now, either way; 0: it is not looked at.
  // Sessions that are known are not asked again: a clock that is set ends no show.
  // `helpers` (nullptr: none) must outlive this.
  explicit Opener(std::shared_ptr<const WireKeys> keys, nanoseconds max_age = {}, WorkAhead* helpers = nullptr);
  ~Opener();
  Opened open(Bytes sealed, WallTime now);
  // Datagrams of any kind that open() may be given next, in this order; they stay as they are until the next call of
  // this. Where they are many, and of a session that is known, helpers decipher them meanwhile. What open() gives is
  // the same.
  void expect(std::span<const Bytes> datagrams);

 private:
  struct State;
  std::shared_ptr<const WireKeys> keys_;
  const nanoseconds max_age_;
  std::unique_ptr<State> state_;
};

}  // namespace texcast::transport
