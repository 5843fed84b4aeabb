// pcm_concealer.h — conceals lost samples: repeats the last pitch period with decreasing volume, and crossfades shortly
// to the samples that follow.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace texcast::media {

// For one channel. Not thread-safe; allocates only in the constructor.
class PcmConcealer {
 public:
  explicit PcmConcealer(int rate);  // Hz, 8000..192000
  // Adds samples that arrived to the history. If some were lost just before, the first 2.5 ms are crossfaded.
  void came(std::span<float> samples);
  // Fills all of `out` in place of lost samples.
  void conceal(std::span<float> out);

 private:
  void find_period();
  float repeated();

  const size_t least_, most_;   // samples of a period: 2.5 to 15 ms
  const size_t fade_;           // 2.5 ms
  const size_t loud_, silent_;  // samples after which it becomes softer, and silent: 10 and 60 ms
  std::vector<float> history_;  // the newest at the end
  std::vector<float> period_;   // the repeated samples; empty: nothing is being concealed
  size_t phase_ = 0;
  size_t concealed_ = 0;  // consecutive samples
};

}  // namespace texcast::media
