// pcm_concealer.h — what to hear where samples got lost: the last pitch period again and again, ever softer, and a
// short fade over to what comes then.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace texcast::media {

// Of one channel. Not thread-safe; allocates only when made.
class PcmConcealer {
 public:
  explicit PcmConcealer(int rate);  // samples a second, 8000..192000
  // Samples that came: kept for later, and where some were lost just before, the first 2.5 ms fade over to them.
  void came(std::span<float> samples);
  // Instead of those that did not: all of `out`.
  void conceal(std::span<float> out);

 private:
  void find_period();
  float repeated();

  const size_t least_, most_;   // samples of a period: 2.5 to 15 ms
  const size_t fade_;           // 2.5 ms
  const size_t loud_, silent_;  // samples after which it becomes softer, and is gone: 10 and 60 ms
  std::vector<float> history_;  // the newest at the end
  std::vector<float> period_;   // what is repeated; empty: nothing is being concealed
  size_t phase_ = 0;
  size_t concealed_ = 0;  // samples in a row
};

}  // namespace texcast::media
