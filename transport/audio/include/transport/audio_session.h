// audio_session.h — turns audio packets into buffers, in order. Drops duplicates and late packets, and recovers lost
// ones by parity or reports them as missing. No I/O: bytes and time are arguments.
//
// Example:
//     session.on_datagram(datagram, steady, wall);
//     while (const auto unit = session.next(steady)) decode(*unit);
//     wait until session.next_deadline(), or the next datagram
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "base/bytes.h"
#include "texcast/frame_times.h"
#include "transport/audio_packet.h"
#include "transport/crypto_choice.h"
#include "transport/wire_keys.h"

namespace texcast::transport {

struct AudioSessionSettings {
  std::shared_ptr<const WireKeys> keys{};  // see ReceiveSettings
  CryptoChoice cipher = CryptoChoice::texcast;
  nanoseconds max_age = std::chrono::minutes(1);
};

// The format of an audio stream; constant until a unit has new_stream.
struct AudioStream {
  AudioCoding coding = AudioCoding::pcm;
  int rate = 0;      // samples per second, 8000..192000
  int bits = 0;      // per sample; PCM only
  int channels = 0;  // 1..AudioSession::kMaxChannels
  bool operator==(const AudioStream&) const = default;
};

// The next part of the stream. Units are contiguous, in `position` and in time.
struct AudioUnit {
  enum class Kind : uint8_t {
    sound,
    lost,    // never arrived: to be concealed
    silent,  // the sender has no sound for this time
  };
  Kind kind = Kind::sound;
  bool new_stream = false;  // another sender or AudioStream, or a jump: unrelated to everything before
  AudioStream stream{};
  uint64_t position = 0;   // of its first sample, relative to an arbitrary zero
  uint32_t samples = 0;    // per channel
  WallTime captured{};     // time of the first sample on the sender's clock; zero: unknown
  uint32_t timestamp = 0;  // RTP time stamp
  // Sound: the bytes of each channel, empty if they were lost. Valid until the next call of the session.
  std::span<const Bytes> channels{};
  SteadyTime arrived{};  // its last packet
};

struct AudioCounters {
  uint64_t packets = 0;  // accepted ones, with sound or parity
  uint64_t bytes = 0;
  uint64_t duplicates = 0;
  uint64_t malformed = 0;
  uint64_t foreign = 0;     // of other kinds, or from another sender
  uint64_t refused = 0;     // cannot be decrypted
  uint64_t lost = 0;        // packets that neither arrived nor were recovered
  uint64_t restored = 0;    // recovered by parity
  uint64_t units = 0;       // with sound
  uint64_t units_lost = 0;  // units of which a channel or everything is missing
};

// Not thread-safe. Memory is bounded by kMaxPending bytes and the latest datagrams.
class AudioSession {
 public:
  static constexpr int kMaxChannels = 16;  // further channels are dropped
  static constexpr size_t kMaxPending = size_t{4} << 20;

  explicit AudioSession(const AudioSessionSettings& settings = {});
  ~AudioSession();
  void on_datagram(Bytes datagram, SteadyTime now, WallTime wall);
  // Selects the next sender that is heard. Stored packets of the previous one are dropped.
  void forget_sender();
  // The next unit, as soon as it is complete or given up.
  std::optional<AudioUnit> next(SteadyTime now);
  // When to call next() even if no datagram arrives.
  std::optional<SteadyTime> next_deadline() const;
  const AudioCounters& counters() const;
  uint32_t ssrc() const;  // of the selected sender; 0: none yet

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace texcast::transport
