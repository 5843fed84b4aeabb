// decoding_budget.h — how much decoding a sender may cause: by the bytes that it has sent, and more once it is trusted
// (source_trust.h). A datagram of 90 bytes may name a picture of 25 MB, and one of a kilobyte may tell all of it anew.
// Pure: time is an argument.
//
// Work is counted in bytes of textures that are written, copied or cleared: 25 MB take about 60 ms of one processor of
// 2021.
#pragma once

#include <cstddef>
#include <optional>

#include "texcast/frame_times.h"

namespace texcast::stream {

class DecodingBudget {
 public:
  // The budget that each sender begins with: enough for a first picture of 1920x1080 in any format, however few bytes
  // it takes.
  static constexpr size_t kAtFirst = size_t{16} << 20;
  // For each byte that came. A film of 1920x1080 at 60 frames a second with 6 Mbit/s or more has all of it.
  static constexpr size_t kPerByte = 256;
  // Once it is trusted, at once, each second, and for each byte: 1920x1080 at 60 in which every frame tells all tiles
  // needs a quarter of a megabit a second. Streams that tell more than that with fewer bytes lose frames.
  static constexpr size_t kWithTrust = size_t{64} << 20, kPerSecond = size_t{64} << 20, kPerByteTrusted = 4096;
  // An unused budget grows up to this. A full budget affords any frame.
  static constexpr size_t kMost = size_t{128} << 20, kMostTrusted = size_t{1} << 30;

  // Not limited: all senders are known to be genuine.
  explicit DecodingBudget(bool is_limited) : is_limited_(is_limited) {}

  void begin();  // another sender is followed
  void trust();  // from now on
  // So much came, and so late it is.
  void received(size_t bytes, SteadyTime now);
  bool affords(size_t work) const { return !is_limited_ || work <= left_ || left_ >= most(); }
  void spend(size_t work) { left_ -= work < left_ ? work : left_; }

 private:
  size_t most() const { return trusted_ ? kMostTrusted : kMost; }

  bool is_limited_;
  bool trusted_ = false;
  size_t left_ = kAtFirst;
  std::optional<SteadyTime> filled_{};  // since it is trusted: up to then
};

}  // namespace texcast::stream
