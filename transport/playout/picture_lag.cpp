#include "playout/picture_lag.h"

#include <algorithm>

namespace texcast::stream {
namespace {

constexpr nanoseconds kLagGone = std::chrono::seconds(2);        // without a new frame, after which the lag is ignored
constexpr nanoseconds kLagJump = std::chrono::milliseconds(60);  // a change of the lag that is not averaged
constexpr int kPicturesToJump = 15;                              // frames in a row that far off before the lag jumps
constexpr int kFilter = 32;                                      // frames over which the lag is averaged

}  // namespace

void PictureLag::on_picture(WallTime available, SteadyTime shown) {
  if (available == WallTime{}) return;
  const nanoseconds lag = shown.time_since_epoch() - available.time_since_epoch();
  const bool is_off = lag_ && std::chrono::abs(lag - *lag_) > kLagJump;
  off_ = is_off ? off_ + 1 : 0;
  if (!lag_ || off_ >= kPicturesToJump || shown - shown_ > kLagGone) {
    lag_ = lag;
    off_ = 0;
    pictures_ = 1;
  } else if (!is_off) {
    pictures_ = std::min(pictures_ + 1, kFilter);
    *lag_ += (lag - *lag_) / pictures_;
  }
  shown_ = shown;
}

std::optional<nanoseconds> PictureLag::at(SteadyTime now) const {
  return now - shown_ < kLagGone ? lag_ : std::nullopt;
}

}  // namespace texcast::stream
