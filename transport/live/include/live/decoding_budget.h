// decoding_budget.h — limits the decoding work that a sender may cause: proportional to the bytes that it has sent, and
// more once it is trusted (source_validation.h). A datagram of 90 bytes may announce a picture of 25 MB, and one of a
// kilobyte may code all of it. No I/O; time is an argument.
//
// The unit of work is a byte of a texture that is written, copied or cleared: 25 MB take about 60 ms of one processor
// of 2021.
#pragma once

#include <cstddef>
#include <optional>

#include "texcast/frame_times.h"

namespace texcast::stream {

class DecodingBudget {
 public:
  // The initial budget of each sender: enough for a first picture of 1920x1080 in any format, however few bytes it has.
  static constexpr size_t kAtFirst = size_t{16} << 20;
  // Budget for each received byte. Film at 1920x1080 and 60 frames a second with 6 Mbit/s or more stays within it.
  static constexpr size_t kPerByte = 256;
  // Once the sender is trusted: budget at once, per second, and per byte. 1920x1080 at 60 frames a second in which each
  // frame codes all tiles needs a quarter of a megabit a second. Streams that code more with fewer bytes lose frames.
  static constexpr size_t kWithTrust = size_t{64} << 20, kPerSecond = size_t{64} << 20, kPerByteTrusted = 4096;
  // An unused budget accumulates up to this. A full budget permits any frame.
  static constexpr size_t kMost = size_t{128} << 20, kMostTrusted = size_t{1} << 30;

  // Not limited: all senders are known to be genuine.
  explicit DecodingBudget(bool is_limited) : is_limited_(is_limited) {}

  void begin();  // another sender was selected
  void trust();  // the sender is trusted from now on
  // Bytes that arrived, and the current time.
  void received(size_t bytes, SteadyTime now);
  bool affords(size_t work) const { return !is_limited_ || work <= left_ || left_ >= most(); }
  void spend(size_t work) { left_ -= work < left_ ? work : left_; }

 private:
  size_t most() const { return trusted_ ? kMostTrusted : kMost; }

  bool is_limited_;
  bool trusted_ = false;
  size_t left_ = kAtFirst;
  std::optional<SteadyTime> filled_{};  // while trusted: time of the last increase
};

}  // namespace texcast::stream
