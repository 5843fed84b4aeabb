// feedback_opener.h — decrypts and parses feedback to a sender, and filters that for its stream. No I/O.
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
  // One of these, or neither if the datagram is no request for this stream.
  struct Asked {
    std::optional<RetransmitRequest> packets{};
    std::optional<TileRequest> tiles{};
  };

  // With keys, only sealed requests are accepted (a sealed stream requires them); without, only unencrypted ones.
  FeedbackOpener(uint32_t ssrc, std::shared_ptr<const WireKeys> keys);
  ~FeedbackOpener();
  FeedbackOpener(FeedbackOpener&& other) noexcept;
  // The spans in it are valid until the next call, and as long as the datagram.
  Asked read(Bytes datagram);

 private:
  uint32_t ssrc_;
  std::unique_ptr<Opener> opener_;  // if there are keys
};

}  // namespace texcast::transport
