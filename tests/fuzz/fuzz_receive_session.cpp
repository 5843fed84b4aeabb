// A sequence of any datagrams through receive sessions. Input: for each datagram its length (2 bytes, little-endian;
// the upper two bits select one of four source addresses), the milliseconds since the previous one (1 byte), and the
// datagram. Every datagram must be counted in exactly one counter, frames must come in order, and bytes that are
// reported as ready must not change. There are three receivers: one without a key, one with the passphrase "secret",
// and one whose frame store has room for three frames, each of which is held until the third frame after it.
#include <algorithm>
#include <array>
#include <deque>
#include <optional>
#include <vector>

#include "../times.h"
#include "../transport/secret_keys.h"
#include "base/ensure.h"
#include "transport/frame_store.h"
#include "transport/receive_session.h"

using namespace texcast;
using namespace texcast::transport;

namespace {

class SmallStore final : public FrameStore {
 public:
  std::optional<LentMemory> lend(size_t bytes) override {
    for (size_t i = 0; i < places_.size(); ++i) {
      if (places_[i].shares != 0) continue;
      places_[i].memory.resize(bytes);
      places_[i].shares = 1;
      return LentMemory{places_[i].memory, i};
    }
    return std::nullopt;
  }
  void take_back(size_t place) override { --places_[place].shares; }
  void keep(size_t place) {
    ENSURE(places_[place].shares > 0);
    ++places_[place].shares;
    kept_.push_back(place);
    if (kept_.size() < 3) return;
    --places_[kept_.front()].shares;
    kept_.pop_front();
  }

 private:
  struct Place {
    std::vector<std::byte> memory{};
    int shares = 0;
  };
  std::array<Place, 3> places_;
  std::deque<size_t> kept_;
};

// The bytes of the next frame that were reported as ready. The frame may be returned in other memory, assembled with
// other tiles.
class Ready {
 public:
  void check(uint64_t id, size_t memory, Bytes bytes) const {
    if (id == id_ && memory == memory_)
      ENSURE(bytes_.size() <= bytes.size() && std::equal(bytes_.begin(), bytes_.end(), bytes.begin()));
  }
  void note(const FrameProgress& progress) {
    check(progress.id, progress.memory, progress.bytes);
    const auto ready = progress.bytes.first(progress.ready_bytes);
    id_ = progress.id;
    memory_ = progress.memory;
    bytes_.assign(ready.begin(), ready.end());
  }

 private:
  uint64_t id_ = 0;
  size_t memory_ = 0;
  std::vector<std::byte> bytes_;
};

void check_payloads(const ReceivedFrame& frame, size_t most, unsigned& checksum) {
  uint32_t missing = 0;
  size_t bytes = 0;
  for (const Bytes payload : frame.payloads) {
    missing += payload.empty() ? 1 : 0;
    bytes += payload.size();
    for (const std::byte b : payload) checksum += std::to_integer<unsigned>(b);
  }
  ENSURE(!frame.payloads.empty() && missing < frame.payloads.size() && missing <= frame.payloads_missing);
  ENSURE(frame.payloads_missing <= missing + 1 && frame.concealed.empty());
  // A parity symbol may recover a payload that is longer than the others.
  ENSURE(bytes <= 2 * most);
}

void listen(Bytes conversation, const ReceiveSettings& settings, SmallStore* store = nullptr) {
  ReceiveSession session(settings, store);
  Ready ready;
  ByteReader reader(conversation);
  SteadyTime now{std::chrono::seconds(1)};
  uint64_t put = 0;
  uint64_t next_number = 0;
  unsigned checksum = 0;
  const auto collect = [&] {
    while (const auto frame = session.poll(now, wall_of(now))) {
      ENSURE(frame->bytes.empty() == frame->stream.compact());
      if (frame->stream.compact()) {
        check_payloads(*frame, settings.max_frame_bytes, checksum);
      } else {
        ready.check(frame->id, frame->memory, frame->bytes);
        if (store) store->keep(frame->memory);
      }
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
    if (const auto asked = session.ask_for_tiles({.all = true}, now))
      checksum += std::to_integer<unsigned>((*asked)[0]);
  };
  while (const auto length = reader.take_le<2>()) {
    const auto wait = reader.take_le<1>();
    if (!wait) break;
    const auto datagram = reader.take(std::min<size_t>(*length & 0x3FFF, reader.remaining()));
    const PeerAddress from{.port = static_cast<uint16_t>(*length >> 14)};
    now += std::chrono::milliseconds(*wait);
    session.on_datagram(*datagram, now, wall_of(now), from);
    if (*wait != 255) collect();  // 255: the caller does not poll
    if (const auto progress = session.progress()) ready.note(*progress);
    ++put;
  }
  now += std::chrono::seconds(20);
  collect();
  const ReceiveCounters& c = session.counters();
  ENSURE(c.packets + c.duplicate + c.late + c.malformed + c.foreign + c.oversized + c.surplus + c.beside + c.refused ==
         put);
  ENSURE(!session.next_deadline());
  volatile unsigned keep = checksum;
  (void)keep;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const auto keys = test::secret_keys();
  const Bytes conversation(reinterpret_cast<const std::byte*>(data), size);
  // Frames of at most 1 MiB, so that the time is not spent on concealment.
  listen(conversation, {.max_frame_bytes = size_t{1} << 20, .request_lost = true});
  const CryptoChoice cipher = kOpenedCryptoChoices[size % kOpenedCryptoChoices.size()];
  listen(conversation, {.max_frame_bytes = size_t{1} << 20,
                        .request_lost = true,
                        .keys = keys,
                        .cipher = cipher,
                        .max_age = nanoseconds{}});
  SmallStore store;
  listen(conversation, {.max_frame_bytes = size_t{1} << 20, .request_lost = true}, &store);
  return 0;
}
