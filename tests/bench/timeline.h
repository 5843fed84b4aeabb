// timeline.h — when the host and the device are at which part of a frame.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "compact/opencl_lossy_backend.h"
#include "texcast/frame_times.h"

namespace texcast::bench {

// The parts of several frames.
class Timeline {
 public:
  void begin_frame(SteadyTime at) { frame_ = at; }
  void add_host(std::string_view part, SteadyTime begin, SteadyTime end) {
    add("host", part, begin - frame_, end - frame_);
    latest_ = end;
  }
  // The end of the latest part of the host.
  SteadyTime latest() const { return latest_; }
  // When the device's first command of the frame was queued.
  void begin_device(SteadyTime at) { device_ = at; }
  void add_device(const std::vector<compact::LossyBackendStage>& stages);
  // A row for each part, in the order of their beginnings: medians of the frames.
  std::string table() const;

 private:
  struct Part {
    std::string_view who;
    std::string name;
    std::vector<double> begin_ms, end_ms;
  };
  // The times are since the frame began.
  void add(std::string_view who, std::string_view name, nanoseconds begin, nanoseconds end);

  SteadyTime frame_{}, device_{}, latest_{};
  std::vector<Part> parts_;
};

// Passes the calls of an encoder on to `backend`, and notes when they begin and end.
std::unique_ptr<compact::EncoderBackend> timed_backend(std::unique_ptr<compact::OpenClLossyBackend> backend,
                                                       Timeline& timeline);

}  // namespace texcast::bench
