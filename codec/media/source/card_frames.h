// card_frames.h — frames of a pool that already hold a test card, so that only moving parts are drawn again. There are
// as many as their readers use at a time, and one more.
#pragma once

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "texcast/frame_pool.h"

namespace texcast::media {

// Not thread-safe.
class CardFrames {
 public:
  explicit CardFrames(std::shared_ptr<FramePool> pool = {}) : pool_(std::move(pool)) {}
  struct Free {
    const FrameLease* frame = nullptr;  // null: all are being read, or there is no pool
    bool is_new = false;                // it does not hold the card yet
  };
  // The frame is valid until the next call.
  Free next() {
    const auto found = std::ranges::find_if(drawn_, [](const FrameLease& lease) { return lease.shares() == 1; });
    if (found != drawn_.end()) return {&*found, false};
    FrameLease lent = pool_ ? pool_->lend() : FrameLease();
    if (!lent) return {};
    return {&drawn_.emplace_back(std::move(lent)), true};
  }

 private:
  std::shared_ptr<FramePool> pool_;
  std::vector<FrameLease> drawn_;
};

}  // namespace texcast::media
