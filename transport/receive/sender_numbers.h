// sender_numbers.h — the short numbers of packets and frames on the wire into ones that only go up, and from those what
// was lost and what was reordered. Pure arithmetic, no allocation.
#pragma once

#include <bitset>
#include <cstdint>
#include <optional>

namespace texcast::transport {

// 16-bit RTP sequence numbers, unwrapped to 64 bits. Missing ones become lost when settle() passes over them, which the
// session does as it gives a frame out: until then they may still come. One that comes after all takes its loss back.
class SequenceTracker {
 public:
  enum class Arrival {
    newest,      // the highest so far
    reordered,   // below the highest, for the first time
    seen,        // was there before
    implausible  // so far off that it is not taken until its successor comes too (RFC 3550, A.1)
  };
  Arrival arrived(uint16_t sequence);
  // The number that the last arrived() with another answer than `implausible` got.
  uint64_t last() const { return last_; }
  // Everything up to here (as last() gave it) that is not there is lost.
  void settle(uint64_t up_to);
  void restart();  // another sender: what is not settled is forgotten
  uint64_t lost() const { return lost_; }

 private:
  static constexpr uint64_t kWindow = 16384;  // numbers below the highest of which we know whether they were there
  static constexpr int kMaxJump = 4096;       // farther ahead is another run, not that many lost packets
  void start_at(uint64_t number);
  void advance_to(uint64_t number);
  bool seen(uint64_t number) const { return window_[number % kWindow]; }

  std::bitset<kWindow> window_;
  bool started_ = false;
  uint64_t first_ = 0;
  uint64_t highest_ = 0;
  uint64_t settled_ = 0;  // numbers up to here are counted
  uint64_t last_ = 0;
  uint64_t lost_ = 0;
  std::optional<uint16_t> jump_;  // what must come next for a jump to be believed
};

// to - from of two frame numbers, modulo 2^22, in [-2^21, 2^21).
int frames_between(uint32_t from, uint32_t to);

// 22-bit frame numbers (UltraGrid's buffer ids) into an order. Ids near the newest are unwrapped. A jump farther than
// kMaxJump is believed when a second packet confirms it: one packet with damaged bits would else make every true frame
// after it look old.
class FrameOrder {
 public:
  struct Place {
    uint64_t order;  // higher = later; gaps inside a run are frames of which nothing came
    uint64_t run;    // differences of order between runs mean nothing
  };
  static constexpr int kMaxJump = 1024;  // frames

  // `repeated`: the packet was seen before, so it cannot confirm itself.
  std::optional<Place> place(uint32_t id, bool repeated = false);
  // How far the id is from the newest; 0 before there is one.
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
