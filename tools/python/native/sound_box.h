// sound_box.h — received sound on its way from the thread of the receiver to those of Python.
#pragma once

#include <texcast/sound.h>

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>

#include "recycler.h"

namespace texcast::python {

// A block of sound, in memory of its own.
struct SoundItem {
  std::shared_ptr<std::vector<std::byte>> samples;  // float, interleaved
  SoundFormat format{};
  nanoseconds pts{};
  bool new_stream = false;
  bool concealed = false;
  uint64_t skipped = 0;  // samples of each channel before it that nobody took in time
};

// Thread-safe. Holds at most two seconds of sound: the oldest blocks are skipped.
class SoundBox {
 public:
  void put(const ReceivedSound& received);
  void close();
  bool is_closed() const;
  // The oldest block that waits; nothing if none came until then, or after close().
  std::optional<SoundItem> take(SteadyTime until);

 private:
  void skip_oldest();  // under mutex_
  std::shared_ptr<Recycler> memory_ = std::make_shared<Recycler>();
  mutable std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<SoundItem> items_;
  nanoseconds waiting_{};       // duration of all items
  uint64_t skipped_ = 0;        // since the block before items_
  bool skipped_start_ = false;  // one of these was the first of a stream
  bool is_closed_ = false;
};

}  // namespace texcast::python
