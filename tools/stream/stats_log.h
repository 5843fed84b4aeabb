// stats_log.h — `--stats-json`: one JSON line a second, the same names in `send`, `play` and `receive`.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/frame_times.h"
#include "stream/rate_meter.h"

namespace texcast::stream {

struct StatsLine {
  struct Count {
    std::string name;
    uint64_t value = 0;
  };
  struct Latency {
    std::string stage;
    double p50_ms = 0;
    double p95_ms = 0;
  };
  std::vector<Count> frames;   // in, sent, shown, lost, concealed
  std::vector<Count> dropped;  // frames by cause
  std::vector<Count> packets;  // sent, received, lost, recovered …
  uint64_t payload_bytes = 0;  // so far; becomes bits a second
  std::vector<Latency> latency;
};

// Not thread-safe.
class StatsLog {
 public:
  // `path` empty: writes nothing; "-": stdout. Throws Error{failed} when the file cannot be opened.
  explicit StatsLog(const std::string& path);
  ~StatsLog();
  // True once a second: then make a line and write() it.
  bool due(SteadyTime now) const;
  SteadyTime next_due() const { return next_; }
  bool enabled() const;
  void write(const StatsLine& line, SteadyTime now);

 private:
  struct File;
  std::unique_ptr<File> file_;
  SteadyTime begun_;
  SteadyTime next_;
  RateMeter rate_;
};

}  // namespace texcast::stream
