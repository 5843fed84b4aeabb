// sealing.h — texcast's own encryption: whole datagrams, each in an envelope that nobody without the passphrase can
// make, change or read.
//
//   'T' 'C' 2 1 | session (8, random) | counter (8) | began (4) | sealed (4) | ciphertext of a datagram | tag (16)
//
// Numbers are big-endian; the times are seconds since 1970: the beginning of the session, and when this datagram was
// sealed. ChaCha20-Poly1305 (RFC 8439). Key: BLAKE2b of session and beginning, keyed with the master key. Nonce: four
// zeros and the counter. Everything before the ciphertext is authenticated too. docs/wire.md describes the guarantees
// and their limits.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "base/bytes.h"
#include "texcast/frame_times.h"
#include "transport/wire_keys.h"

namespace texcast {
class WorkAhead;
}

namespace texcast::transport {

inline constexpr size_t kSealHeaderBytes = 28;
inline constexpr size_t kSealTagBytes = 16;
inline constexpr size_t kSealOverhead = kSealHeaderBytes + kSealTagBytes;

// True if a datagram has the header of a sealed one. The upper two bits of its first byte are not RTP's version, so it
// is not RTP.
bool is_sealed(Bytes datagram);
// True if it was sealed by an earlier texcast, whose sessions carried no time.
bool is_sealed_of_old(Bytes datagram);

// Seals datagrams of one session, which begins with the first. Not thread-safe except for seal_as(); allocates nothing
// after construction.
class Sealer {
 public:
  explicit Sealer(const WireKeys& keys);
  // The datagram is `header` followed by `payload`. `out` has room for kSealOverhead more and overlaps neither. Returns
  // the sealed datagram, the beginning of `out`. Each call uses a new counter, so sealing the same bytes again yields
  // others. `now`: a receiver accepts an unknown session only if its own clock agrees roughly.
  Bytes seal(Bytes header, Bytes payload, MutableBytes out, WallTime now);
  // The same in two steps, for several threads. reserve() returns the first of `count` counters.
  uint64_t reserve(uint64_t count, WallTime now);
  // seal_as() seals with one of them, which must be used for one datagram only. Callable from any thread, also during
  // reserve().
  Bytes seal_as(uint64_t counter, Bytes header, Bytes payload, MutableBytes out, WallTime now) const;
  // The datagram in an envelope of this session, any number of times; nothing if it is of another one, or damaged.
  // Returns the beginning of `out`, which has room for the sealed datagram and does not overlap it.
  std::optional<Bytes> open_own(Bytes sealed, MutableBytes out) const;

 private:
  struct Session {
    std::array<unsigned char, 32> key;
    std::array<std::byte, kSealHeaderBytes> header;
  };
  Secret<WireKeys::MasterKey> master_;  // until the session begins
  Secret<Session> session_;
  bool begun_ = false;
  uint64_t counter_ = 0;  // of the next datagram
};

// Opens datagrams from any Sealer with the same passphrase, once each. Not thread-safe; allocates nothing after
// construction. A forged packet costs one BLAKE2b and one Poly1305 over it, and changes no state.
class Opener {
 public:
  enum class Outcome : uint8_t {
    opened,
    refused,   // not made with this passphrase, or damaged, or not a sealed datagram
    replayed,  // genuine, but a duplicate, too old to tell, or of a displaced session
    // Genuine, of an unknown session, and its time differs from now by too much. Nothing of it is remembered.
    too_old,
    from_the_future,
  };
  struct Opened {
    Outcome outcome = Outcome::refused;
    Bytes datagram{};      // valid until the next open() or expect(); of any length, even 0
    uint64_t session = 0;  // opened: its session, when that began in seconds since 1970, and its counter
    uint32_t began = 0;
    uint64_t counter = 0;
    int64_t seconds = 0;  // too_old, from_the_future: difference of its time and now
  };

  static constexpr uint64_t kWindow = 8128;  // how many packets a packet may be late within its session
  static constexpr int kSessions = 64;       // sessions that are remembered with their windows
  static constexpr int kForgotten = 4096;    // displaced sessions that are recognised

  // `max_age`: the largest difference between the time in a session's first datagram and now, in either direction; 0:
  // not checked. Known sessions are not checked again, so setting a clock does not end a stream. `helpers` (nullptr:
  // none) must outlive this.
  explicit Opener(std::shared_ptr<const WireKeys> keys, nanoseconds max_age = {}, WorkAhead* helpers = nullptr);
  ~Opener();
  Opened open(Bytes sealed, WallTime now);
  // Announces datagrams of any kind that open() may get next, in this order. They must not change until the next call
  // of expect(). If there are many of a known session, helpers decrypt them ahead of time. The results of open() are
  // the same.
  void expect(std::span<const Bytes> datagrams);

 private:
  struct State;
  std::shared_ptr<const WireKeys> keys_;
  const nanoseconds max_age_;
  std::unique_ptr<State> state_;
};

}  // namespace texcast::transport
