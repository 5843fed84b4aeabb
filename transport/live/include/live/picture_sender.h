// picture_sender.h — the address of the sender whose picture is shown. Sound is accepted from that host only
// (audio_receiver.h), so that nobody can add sound to another sender's picture.
#pragma once

#include <mutex>
#include <optional>

#include "transport/peer_address.h"

namespace texcast::stream {

// Thread-safe: the picture's receiving thread writes it, the sound's reads it.
class PictureSender {
 public:
  void set(const transport::PeerAddress& from) {
    const std::lock_guard lock(mutex_);
    from_ = from;
  }
  // nullopt before the first frame.
  std::optional<transport::PeerAddress> get() const {
    const std::lock_guard lock(mutex_);
    return from_;
  }

 private:
  mutable std::mutex mutex_;
  std::optional<transport::PeerAddress> from_;
};

}  // namespace texcast::stream
