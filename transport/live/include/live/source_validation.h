// source_trust.h — whether the sender that is followed has proved to be one: it has sent frames, most of each, no
// faster than their own time stamps say. Anybody can send one packet, so an untrusted sender may cause little work
// (decoding_budget.h). Pure: time is an argument.
#pragma once

#include <cstdint>
#include <optional>

#include "transport/receive_session.h"

namespace texcast::stream {

class SourceValidation {
 public:
  // So many frames in so long, at least.
  static constexpr uint32_t kLeastFrames = 4;
  static constexpr nanoseconds kLeastTime = std::chrono::milliseconds(250);

  // Another sender is followed. `is_proven`: it needs no proof (its packets are authenticated, or they are a
  // capture's).
  void follow(bool is_proven);
  // A frame of it came out of the session.
  void note(const transport::ReceivedFrame& frame, SteadyTime now);
  bool trusted() const { return trusted_; }
  // The frame time of its latest frame.
  nanoseconds frame_time() const { return frame_time_; }

 private:
  struct Begun {
    SteadyTime at{};
    nanoseconds pts{};
    uint32_t frames = 0;
  };
  bool trusted_ = false;
  nanoseconds frame_time_{};
  std::optional<Begun> begun_{};  // what counts began with this frame
};

}  // namespace texcast::stream
