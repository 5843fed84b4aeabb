// sequence_numbers.h — unwraps the sequence numbers of packets and the frame numbers, and derives loss and reordering
// from them. Arithmetic only, no allocation.
#pragma once

#include <bitset>
#include <cstdint>
#include <optional>

namespace texcast::transport {

// Unwraps 16-bit RTP sequence numbers to 64 bits. A missing number counts as lost once settle() passes it, which the
// session does when it delivers a frame; until then the packet may still arrive. A packet that arrives after that is no
// longer counted as lost.
class SequenceTracker {
 public:
  enum class Arrival {
    newest,      // the highest so far
    reordered,   // below the highest, for the first time
    seen,        // arrived before
    implausible  // so far off that it is rejected until its successor arrives too (RFC 3550, A.1)
  };
  Arrival arrived(uint16_t sequence);
  // The number assigned by the last arrived() that did not return `implausible`.
  uint64_t last() const { return last_; }
  // Counts every missing number up to here (as returned by last()) as lost.
  void settle(uint64_t up_to);
  void restart();  // another sender: unsettled numbers are forgotten
  uint64_t lost() const { return lost_; }

 private:
  static constexpr uint64_t kWindow = 16384;  // how far below the highest number arrivals are remembered
  static constexpr int kMaxJump = 4096;       // a larger jump is a restarted sender, not that much loss
  void start_at(uint64_t number);
  void advance_to(uint64_t number);
  bool seen(uint64_t number) const { return window_[number % kWindow]; }

  std::bitset<kWindow> window_;
  bool started_ = false;
  uint64_t first_ = 0;
  uint64_t highest_ = 0;
  uint64_t settled_ = 0;  // losses are counted up to here
  uint64_t last_ = 0;
  uint64_t lost_ = 0;
  std::optional<uint16_t> jump_;  // the number that must come next to confirm a jump
};

// to - from of two frame numbers, modulo 2^22, in [-2^21, 2^21).
int frames_between(uint32_t from, uint32_t to);

// Puts 22-bit frame numbers (UltraGrid's buffer ids) into an order. Ids near the newest are unwrapped. A jump of more
// than kMaxJump is accepted once a second packet confirms it: otherwise one packet with damaged bits would make every
// genuine frame after it look old.
class FrameOrder {
 public:
  struct Place {
    uint64_t order;  // higher is later; gaps within a run are frames of which nothing arrived
    uint64_t run;    // orders of different runs cannot be subtracted
  };
  static constexpr int kMaxJump = 1024;  // frames

  // `repeated`: the packet arrived before, so it cannot confirm itself.
  std::optional<Place> place(uint32_t id, bool repeated = false);
  // The distance of the id from the newest; 0 if there is none yet.
  int ahead(uint32_t id) const { return started_ ? frames_between(newest_id_, id) : 0; }
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
