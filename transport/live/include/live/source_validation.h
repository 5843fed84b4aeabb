// source_validation.h — decides whether the selected sender is trusted: RFC 3550's probation of a source (A.1), applied
// to frames. The sender must deliver several frames, most of each, no faster than their own time stamps. Anybody can
// send a single packet, so an unproven sender may cause little work (decoding_budget.h). No I/O; time is an argument.
#pragma once

#include <cstdint>
#include <optional>

#include "transport/receive_session.h"

namespace texcast::stream {

class SourceValidation {
 public:
  // The minimum number of frames, and the minimum time.
  static constexpr uint32_t kLeastFrames = 4;
  static constexpr nanoseconds kLeastTime = std::chrono::milliseconds(250);

  // Another sender was selected. `is_proven`: it needs no probation (its packets are authenticated, or come from a
  // capture).
  void select(bool is_proven);
  // The session delivered a frame of the sender.
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
  std::optional<Begun> begun_{};  // probation began with this frame
};

}  // namespace texcast::stream
