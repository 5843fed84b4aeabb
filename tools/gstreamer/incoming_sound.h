// incoming_sound.h — sound of a stream that a source has not taken yet.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <vector>

#include "texcast/sound.h"

namespace texcast::gstreamer {

struct IncomingSound {
  std::vector<float> samples{};  // interleaved
  SoundFormat format{};
  nanoseconds time{};  // of the first sample, on the pipeline's clock
  bool is_discontinuous = false;

  nanoseconds duration() const;
};

// The duration of so many interleaved samples.
nanoseconds duration_of(size_t samples, const SoundFormat& format);

// Thread-safe; one thread takes blocks.
class SoundQueue {
 public:
  // `time`: of the first sample. Blocks that follow each other keep their distance to within small corrections.
  void push(const ReceivedSound& received, nanoseconds time);
  void clear();
  void interrupt(bool on);

  enum class Taken { block, nothing, interrupted };
  // Waits for the next block, at most until `limit`.
  Taken take(IncomingSound& block, SteadyTime limit);

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<IncomingSound> blocks_;
  nanoseconds waiting_{};              // duration of `blocks_`
  std::optional<nanoseconds> next_{};  // where the latest block ended
  bool is_interrupted_ = false;
};

}  // namespace texcast::gstreamer
