// changes.h — how long encoding takes with and without EncoderSettings::compare, by how much changes from frame to
// frame.
#pragma once

#include <string>
#include <vector>

#include "bench/flow.h"
#include "ocl/device.h"
#include "texcast/encoder.h"

namespace texcast::bench {

struct ChangeSettings {
  FrameFormat source;
  TextureFormat texture = TextureFormat::bc1;
  Quality quality = Quality::fast;
  int bands = 1;    // as EncoderSettings::bands
  int frames = 60;  // encoded one at a time, of each kind
  FlowSettings flow{};
};

struct ChangeTiming {
  std::string what;       // changes from frame to frame
  bool compared = false;  // EncoderSettings::compare
  double latency_ms = 0;  // from submit() to the frame's blocks, one frame in flight: median
  double cpu_ms = 0;      // this process's CPU time for a frame; drivers that wait by polling count
  FlowRate frames{};      // with several frames in flight
  StageTimes stages{};    // of the last frame that was encoded alone
};

// Times all kinds in turns, a frame of each, in memory of the encoder's pool. Throws Error{no_device}.
std::vector<ChangeTiming> time_changes(const ocl::Device& device, const ChangeSettings& settings);
std::string change_table(const std::vector<ChangeTiming>& timings);

}  // namespace texcast::bench
