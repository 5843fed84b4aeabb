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

// The properties of a stream that determine the headers of its packets.
struct PacketLine {
  bool ipv6 = false;
  size_t payload_bytes = 0;
};

// Not thread-safe.
class BitrateControl {
 public:
  // Throws Error{usage} if the least bit rate of `compact`, which has one, leaves no room for a packet with one tile
  // and its parity, as then nothing could ever be sent.
  static void check(const SendSettings& settings, const CompactSettings& compact, const PacketLine& line);

  // Throws as check() does. Limits the packets of `sender`, which may have sent frames before, to the bit rate.
  BitrateControl(const SendSettings& settings, const CompactSettings& compact, const PacketLine& line,
                 const compact::TileGrid& grid, PacedSender& sender);
  // Another crf or bit rate from the next frame on. `compact` has passed check().
  void change(const CompactSettings& compact, PacedSender& sender);

  // Before each frame: learns from the receivers' feedback, and charges the bytes that were sent again.
  void update(SteadyTime now, PacedSender& sender, bool real_time);
  compact::RateControl& control() { return control_; }
  const compact::RateControl& control() const { return control_; }

 private:
  Bitrate bitrate_;
  std::optional<RateAdaptation> adaptation_;  // nullopt: the rate is constant
  compact::RateControl control_;
  std::vector<transport::ReceiverOpinion> reports_;
  uint64_t charged_;  // bytes sent again
};

}  // namespace texcast::stream
