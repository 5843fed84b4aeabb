// bands.h — how long it takes until the first and the last bytes of a frame are in host memory, when the encoder
// divides frames into bands.
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
  int frames = 60;                        // encoded one at a time, with each number of bands
  FlowSettings flow{};
};

struct BandTiming {
  int bands = 1;          // that the encoder uses; it may be fewer than requested
  double first_ms = 0;    // from submit() to the first bytes in host memory, one frame in flight: median
  double last_ms = 0;     // likewise to the last bytes
  double first_part = 0;  // fraction of the texture that arrived first
  FlowRate frames{};      // with several frames in flight
};

// Times all numbers of bands in turns, a frame of each. Throws Error{no_device}.
std::vector<BandTiming> time_bands(const ocl::Device& device, const BandSettings& settings);
std::string band_table(const std::vector<BandTiming>& timings);

}  // namespace texcast::bench
