// A whole conversation: the input is a list of datagrams, each with a length (2 bytes, little-endian) and the
// milliseconds since the one before (1 byte). Every datagram must end in exactly one counter, and frames must come in
// order. Two receivers listen: one without a key and one whose passphrase is "secret".
#include <algorithm>
#include <optional>

#include "../transport/secret_keys.h"
#include "base/ensure.h"
#include "transport/receive_session.h"

using namespace texcast;
using namespace texcast::transport;

namespace {

void listen(Bytes conversation, const ReceiveSettings& settings) {
  ReceiveSession session(settings);
  ByteReader reader(conversation);
  SteadyTime now = std::chrono::seconds(1);
  uint64_t put = 0;
  uint64_t next_number = 0;
  unsigned checksum = 0;
  const auto collect = [&] {
    while (const auto frame = session.poll(now, now)) {
      ENSURE(!frame->bytes.empty());
      ENSURE(frame->bytes.size() <= settings.max_frame_bytes);
      ENSURE(frame->new_stream ? frame->number == 0 : frame->number >= next_number);
      ENSURE(frame->concealed_bytes <= frame->bytes.size());
      uint64_t concealed = 0;
      uint32_t end = 0;
      for (const ByteRange& range : frame->concealed) {
        ENSURE(range.begin >= end && range.end > range.begin && range.end <= frame->bytes.size());
        end = range.end;
        concealed += range.end - range.begin;
      }
      ENSURE(concealed == frame->concealed_bytes);
      next_number = frame->number + 1;
      for (const std::byte b : frame->bytes) checksum += std::to_integer<unsigned>(b);  // reads every byte
    }
    for (int requests = 0; session.poll_feedback(now); ++requests) ENSURE(requests < 16);
  };
  while (const auto length = reader.take_le<2>()) {
    const auto wait = reader.take_le<1>();
    if (!wait) break;
    const auto datagram = reader.take(std::min<size_t>(*length, reader.remaining()));
    now += std::chrono::milliseconds(*wait);
    session.on_datagram(*datagram, now, now);
    if (*wait != 255) collect();  // 255: a caller that forgets to ask
    ++put;
  }
  now += std::chrono::seconds(20);
  collect();
  const ReceiveCounters& c = session.counters();
  ENSURE(c.packets + c.duplicate + c.late + c.malformed + c.foreign + c.surplus + c.refused == put);
  ENSURE(!session.next_deadline());
  volatile unsigned keep = checksum;
  (void)keep;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const auto keys = test::secret_keys();
  const Bytes conversation(reinterpret_cast<const std::byte*>(data), size);
  // Frames of at most 1 MiB, so that the fuzzer's time goes into the logic instead of into filling holes.
  listen(conversation, {.max_frame_bytes = size_t{1} << 20, .request_lost = true});
  listen(conversation, {.max_frame_bytes = size_t{1} << 20, .keys = keys});
  return 0;
}
