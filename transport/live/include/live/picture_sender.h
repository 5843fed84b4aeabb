// picture_sender.h — whose picture is shown: sound is taken from that host alone (audio_receiver.h), since a stranger
// who may send to the port of the sound must not be heard beside somebody else's picture.
#pragma once

#include <mutex>
#include <optional>

#include "transport/peer_address.h"

namespace texcast::stream {

// The receiving thread of the picture writes it, that of the sound reads it.
class PictureSender {
 public:
  void set(const transport::PeerAddress& from) {
    const std::lock_guard lock(mutex_);
    from_ = from;
  }
  // Nothing until a frame has come.
  std::optional<transport::PeerAddress> get() const {
    const std::lock_guard lock(mutex_);
    return from_;
  }

 private:
  mutable std::mutex mutex_;
  std::optional<transport::PeerAddress> from_;
};

}  // namespace texcast::stream
