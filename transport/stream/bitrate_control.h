// bitrate_control.h — the bit rate of a lossy coded stream: the encoder's rate control, whose rate adapts to the
// available bandwidth if the settings give a range.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "compact/rate_control.h"
#include "compact/tile_grid.h"
#include "live/destinations.h"
#include "live/rate_adaptation.h"
#include "stream/paced_sender.h"
#include "stream/texture_sender.h"

namespace texcast::stream {

inline constexpr int kRefinements = 4;  // steps of the quality ramp: then a static area is as good as lossless

// SendSettings::compact, with the bit rate within SendSettings::rate_bits_per_s.
CompactSettings within_line_rate(const SendSettings& settings);
// The settings, with the packets limited to the bit rate of `compact`.
SendSettings paced_by(SendSettings settings, const CompactSettings& compact);

// Not thread-safe.
class BitrateControl {
 public:
  // `compact` has a bit rate. Throws Error{usage} if the least rate has no room for a packet with one tile and its
  // parity, as then nothing could ever be sent.
  BitrateControl(const SendSettings& settings, const CompactSettings& compact, const Destinations& destinations,
                 const compact::TileGrid& grid, size_t payload_bytes);

  // Before each frame: learns from the receivers' feedback, and charges the bytes that were sent again.
  void update(SteadyTime now, PacedSender& sender, bool real_time);
  compact::RateControl& control() { return control_; }
  const compact::RateControl& control() const { return control_; }

 private:
  std::optional<RateAdaptation> adaptation_;  // nullopt: the rate is constant
  compact::RateControl control_;
  std::vector<transport::ReceiverOpinion> reports_;
  uint64_t charged_ = 0;  // bytes sent again
};

}  // namespace texcast::stream
