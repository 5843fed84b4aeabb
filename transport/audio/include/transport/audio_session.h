// audio_session.h — packets of sound into buffers, in order: what came twice or late is sorted out, what got lost is
// given back by parity or said to be missing. Pure: bytes and time are arguments.
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
  std::shared_ptr<const WireKeys> keys{};  // as ReceiveSettings has them
  CryptoChoice cipher = CryptoChoice::texcast;
  nanoseconds max_age = std::chrono::minutes(1);
};

// What a stream of sound is; the same for all units until one says new_stream.
struct AudioStream {
  AudioCoding coding = AudioCoding::pcm;
  int rate = 0;      // samples a second, 8000..192000
  int bits = 0;      // a sample, of PCM
  int channels = 0;  // 1..AudioSession::kMaxChannels
  bool operator==(const AudioStream&) const = default;
};

// The next piece of the stream: units follow each other without a hole, in `position` and in time.
struct AudioUnit {
  enum class Kind : uint8_t {
    sound,
    lost,    // never came: to be concealed
    silent,  // the sender has nothing for this time
  };
  Kind kind = Kind::sound;
  bool new_stream = false;  // another sender or another AudioStream, or a jump: nothing before belongs to it
  AudioStream stream{};
  uint64_t position = 0;   // of its first sample, from an unrelated zero
  uint32_t samples = 0;    // of each channel
  WallTime captured{};     // of the first, on the sender's clock; zero: not known
  uint32_t timestamp = 0;  // RTP's
  // Sound: the bytes of each channel, empty where they got lost. Valid until the next call of the session.
  std::span<const Bytes> channels{};
  SteadyTime arrived{};  // the last packet of it that came
};

struct AudioCounters {
  uint64_t packets = 0;  // with sound or parity, taken
  uint64_t bytes = 0;
  uint64_t duplicates = 0;
  uint64_t malformed = 0;
  uint64_t foreign = 0;     // of something else, or of another sender
  uint64_t refused = 0;     // not to be opened
  uint64_t lost = 0;        // packets that neither came nor were given back
  uint64_t restored = 0;    // by parity
  uint64_t units = 0;       // with sound
  uint64_t units_lost = 0;  // and those of which a channel or all is missing
};

// Not thread-safe. Its memory is bounded: kMaxPending bytes, and the last datagrams.
class AudioSession {
 public:
  static constexpr int kMaxChannels = 16;  // of more, those behind are left out
  static constexpr size_t kMaxPending = size_t{4} << 20;

  explicit AudioSession(const AudioSessionSettings& settings = {});
  ~AudioSession();
  void on_datagram(Bytes datagram, SteadyTime now, WallTime wall);
  // Whatever comes next is followed, and nothing that is kept of the sender before is given out.
  void forget_sender();
  // The next unit, as soon as it is whole or given up.
  std::optional<AudioUnit> next(SteadyTime now);
  // When next() may have something though nothing came.
  std::optional<SteadyTime> next_deadline() const;
  const AudioCounters& counters() const;
  uint32_t ssrc() const;  // of the sender that is followed; 0: none yet

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace texcast::transport
