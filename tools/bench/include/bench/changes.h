// changes.h — what it gains and costs to compare frames (EncoderSettings::compare), by how much of them changes.
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
  int frames = 60;  // alone, of each kind
  FlowSettings flow{};
};

struct ChangeTiming {
  std::string what;       // changes from frame to frame
  bool compared = false;  // else encoded as ever
  double latency_ms = 0;  // of a frame alone, from submit() to its blocks: median
  double cpu_ms = 0;      // of this process, in that time, a frame; where drivers wait by asking, that counts
  FlowRate frames{};      // with several in flight
  StageTimes stages{};    // of the last frame alone
};

// In turns, a frame of each, in the encoder's own memory. Throws Error{no_device}.
std::vector<ChangeTiming> time_changes(const ocl::Device& device, const ChangeSettings& settings);
std::string change_table(const std::vector<ChangeTiming>& timings);

}  // namespace texcast::bench
