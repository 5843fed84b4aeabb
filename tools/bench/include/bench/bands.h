// bands.h — what it gains and costs to have a frame in bands: when its first bytes are there, when its last.
#pragma once

#include <string>
#include <vector>

#include "bench/flow.h"
#include "ocl/device.h"
#include "texcast/encoder.h"

namespace texcast::bench {

struct BandSettings {
  FrameFormat source;
  TextureFormat texture = TextureFormat::bc1;
  Quality quality = Quality::fast;
  std::vector<int> bands = {1, 2, 4, 8};  // as EncoderSettings::bands
  int frames = 60;                        // alone, with each number of bands
  FlowSettings flow{};
};

struct BandTiming {
  int bands = 1;          // that the encoder made of those asked for
  double first_ms = 0;    // of a frame alone, from submit() to the first bytes in host memory: median
  double last_ms = 0;     // to the last
  double first_part = 0;  // of the texture, that came first
  FlowRate frames{};      // with several in flight
};

// In turns, a frame of each. Throws Error{no_device}.
std::vector<BandTiming> time_bands(const ocl::Device& device, const BandSettings& settings);
std::string band_table(const std::vector<BandTiming>& timings);

}  // namespace texcast::bench
