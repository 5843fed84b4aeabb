// viewer_queue.h — the messages that wait for one viewer's connection, within a bound. No I/O; time is an argument.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>

#include "messages.h"
#include "texcast/frame_times.h"

namespace texcast::web {

// Sound is not delayed by pictures that wait, and is dropped only when this much of it waits.
inline constexpr size_t kMostSoundBytes = 128 << 10;

// Nor may the oldest message wait longer than this: on a slow connection the limit in bytes would take seconds.
inline constexpr nanoseconds kLongestWait = std::chrono::milliseconds(150);

// When more than the limit waits, or for too long, pictures are dropped until nothing waits any more: a viewer whose
// connection is too slow misses some pictures as a whole instead of a part of each, and what it shows is never old. Not
// thread-safe.
class ViewerQueue {
 public:
  // Texts always enter. Returns false if the message was dropped.
  bool push(SharedMessage message, size_t limit_bytes, SteadyTime now);
  // Drops pictures from now on (true), or as little as its bounds allow (false): the network path is congested.
  void set_congested(bool congested) { congested_ = congested; }
  // The next message to send, null if nothing waits: texts and pictures in their order, sound before pictures (but not
  // before a text).
  const SharedMessage& front() const;
  void pop();
  // Drops the pictures and sound that wait: the viewer gets another stream.
  void clear_stream();

  bool empty() const { return ordered_.empty() && sound_.empty(); }
  size_t bytes() const { return bytes_ + sound_bytes_; }
  uint64_t dropped_datagrams() const { return dropped_datagrams_; }
  uint64_t dropped_bytes() const { return dropped_bytes_; }

 private:
  bool drop(const Message& message);
  bool sound_first() const;

  struct Waiting {
    SharedMessage message;
    SteadyTime since{};
  };
  std::deque<Waiting> ordered_, sound_;
  size_t bytes_ = 0, sound_bytes_ = 0;
  bool dropping_ = false, congested_ = false;
  uint64_t dropped_datagrams_ = 0, dropped_bytes_ = 0;
};

// How much of a stream may wait for a viewer: what was sent within two frame times at 30 frames a second, wherever that
// was most in the last second; so a frame or two of any stream, however large its frames are.
class QueueLimit {
 public:
  QueueLimit(size_t least_bytes, size_t most_bytes) : least_(least_bytes), most_(most_bytes) {}
  void add(size_t bytes, SteadyTime now);
  size_t bytes() const { return limit_; }

 private:
  static constexpr size_t kSlots = 30;
  static constexpr nanoseconds kSlot = nanoseconds(std::chrono::seconds(1)) / kSlots;
  void update();

  const size_t least_, most_;
  std::array<size_t, kSlots> slots_{};  // bytes in each thirtieth of a second, by its number modulo kSlots
  int64_t current_ = 0;                 // number of the newest slot
  size_t limit_ = least_;
};

}  // namespace texcast::web
