// frame_order.h — 22-bit frame numbers (UltraGrid's buffer ids) into an order that only goes up. Pure arithmetic.
#pragma once

#include <cstdint>
#include <optional>

namespace texcast::transport {

// Ids near the newest are unwrapped. A jump farther than kMaxJump is believed when a second packet confirms it: one
// packet with damaged bits would else make every true frame after it look old.
class FrameOrder {
 public:
  struct Place {
    uint64_t order;  // higher = later; gaps inside a run are frames of which nothing came
    uint64_t run;    // differences of order between runs mean nothing
  };
  static constexpr int kMaxJump = 1024;  // frames

  // `repeated`: the packet was seen before, so it cannot confirm itself.
  std::optional<Place> place(uint32_t id, bool repeated = false);
  // The next id begins a new run (another sender).
  void restart() {
    started_ = false;
    jump_.reset();
  }

 private:
  Place begin_run(uint32_t id);

  bool started_ = false;
  uint32_t newest_id_ = 0;
  uint64_t newest_order_ = 0;
  uint64_t run_ = 0;
  std::optional<uint32_t> jump_;
};

}  // namespace texcast::transport
