// space_watch.h — warns when a recording has less than a minute left: on its disk, or until its size limit.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "texcast/frame_times.h"

namespace texcast::stream {

// Not thread-safe. Time, sizes and free space come in as arguments.
class SpaceWatch {
 public:
  // `most_bytes`: the limit of all files of the recording together; 0: none.
  explicit SpaceWatch(int64_t most_bytes = 0) : most_bytes_(most_bytes) {}

  // Whether look() should be called: about once a second.
  bool due(SteadyTime now) const { return now >= next_; }
  // `bytes`: of the recording so far. `free`: on its disk; nullopt: unknown. Returns the warning, once; again only
  // after there was space for two minutes.
  std::optional<std::string> look(SteadyTime now, int64_t bytes, std::optional<int64_t> free);

 private:
  const int64_t most_bytes_;
  SteadyTime next_{};
  std::optional<SteadyTime> last_;
  int64_t last_bytes_ = 0;
  double bytes_per_s_ = 0;  // over the last seconds
  int looks_ = 0;
  bool warned_ = false;
};

}  // namespace texcast::stream
