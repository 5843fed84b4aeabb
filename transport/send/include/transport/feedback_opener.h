// feedback_opener.h — what comes back to a sender: opened, parsed, and only what is meant for its stream. Pure.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "base/bytes.h"
#include "transport/compact_packet.h"
#include "transport/own_packet.h"
#include "transport/wire_keys.h"

namespace texcast::transport {

class Opener;

// Not thread-safe.
class FeedbackOpener {
 public:
  // Of one of these, or of neither where the datagram is no request of this stream.
  struct Asked {
    std::optional<RetransmitRequest> packets{};
    std::optional<TileRequest> tiles{};
  };

  // With keys only sealed requests are read (as they must be where the stream is), without none of those.
  FeedbackOpener(uint32_t ssrc, std::shared_ptr<const WireKeys> keys);
  ~FeedbackOpener();
  FeedbackOpener(FeedbackOpener&& other) noexcept;
  // The spans in it are valid until the next call, and as long as the datagram.
  Asked read(Bytes datagram);

 private:
  uint32_t ssrc_;
  std::unique_ptr<Opener> opener_;  // where there are keys
};

}  // namespace texcast::transport
