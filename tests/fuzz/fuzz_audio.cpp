// A sequence of any datagrams through an audio session and its decoder. Input: for each datagram its length (2 bytes,
// little-endian), the milliseconds since the previous one (1 byte), and the datagram.
#include <algorithm>
#include <array>
#include <vector>

#include "../times.h"
#include "../transport/secret_keys.h"
#include "base/ensure.h"
#include "live/sound_decoder.h"
#include "transport/audio_session.h"

using namespace texcast;
using namespace texcast::transport;

namespace {

void listen(Bytes conversation, const AudioSessionSettings& settings) {
  AudioSession session(settings);
  stream::SoundDecoder decoder;
  ByteReader reader(conversation);
  SteadyTime now{std::chrono::hours(1)};
  uint64_t end = 0;
  float loudest = 0;
  const auto collect = [&] {
    while (const auto unit = session.next(now)) {
      ENSURE(unit->stream.channels >= 1 && unit->stream.channels <= AudioSession::kMaxChannels);
      ENSURE(unit->stream.rate >= 8000 && unit->stream.rate <= 192'000 && unit->samples <= 96'000);
      ENSURE(unit->new_stream || unit->position == end);
      end = unit->position + unit->samples;
      if (const auto block = decoder.decode(*unit, now))
        for (const float sample : block->samples) loudest = std::max(loudest, sample);  // reads every one
    }
  };
  while (const auto length = reader.take_le<2>()) {
    const auto wait = reader.take_le<1>();
    if (!wait) break;
    now += std::chrono::milliseconds(*wait);
    session.on_datagram(*reader.take(std::min<size_t>(*length, reader.remaining())), now, wall_of(now));
    if (*wait != 255) collect();  // 255: the caller does not poll
  }
  now += std::chrono::seconds(5);
  collect();
  volatile float keep = loudest;
  (void)keep;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const auto keys = test::secret_keys();
  const Bytes conversation(reinterpret_cast<const std::byte*>(data), size);
  listen(conversation, {});
  const CryptoChoice cipher = kOpenedCryptoChoices[size % kOpenedCryptoChoices.size()];
  listen(conversation, {.keys = keys, .cipher = cipher, .max_age = nanoseconds{}});
  return 0;
}
