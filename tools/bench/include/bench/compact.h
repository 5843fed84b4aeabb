// compact.h — how long it takes to code frames compactly, and to decode them, by threads and by the device.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compact/opencl_lossless_backend.h"
#include "compact/opencl_lossy_backend.h"
#include "compact/opencl_reconstruction_backend.h"
#include "ocl/device.h"
#include "texcast/encoder.h"

namespace texcast::bench {

struct CompactSettings {
  FrameFormat source;
  TextureFormat texture = TextureFormat::bc1;
  Quality quality = Quality::normal;
  std::optional<double> crf{};  // with loss; `quality` is the encoder's effort then too
  int rounds = 4;               // through the frames and back
};

struct CompactTiming {
  std::string what;  // who chose vectors and modes
  // Of a frame, medians: all; changes, and what the device does; bytes of units; what the next frame needs.
  double frame_ms = 0, begin_ms = 0, units_ms = 0, end_ms = 0;
  double bits_per_pixel = 0;
  // Means: of streams without loss, and with.
  compact::LosslessBackendTimes device{};
  compact::LossyBackendTimes chooser{};
  bool same = true;  // units as those of the threads
};

// Frames as `source` says, one behind the other in each of `frames`, at least two, forth and back. On all processors,
// then with the device. Throws Error{no_device}.
std::vector<CompactTiming> time_compact(const ocl::Device& device, const CompactSettings& settings,
                                        const std::vector<std::vector<std::byte>>& frames);
std::string compact_table(const std::vector<CompactTiming>& timings, bool is_lossy);

struct CompactDecodeTiming {
  std::string what;  // who rebuilt the units
  // Of a frame, medians: all, and of it what the processors were busy.
  double frame_ms = 0, processor_ms = 0;
  compact::ReconstructionBackendTimes device{};  // medians
  bool same = true;                              // textures as those of the threads
};
struct CompactDecoding {
  double units = 0, kilobytes = 0;  // of a frame, means
  std::vector<CompactDecodeTiming> timings;
};

// The same frames as a stream with loss, which the device codes: settings.crf is set. One frame at least.
CompactDecoding time_compact_decode(const ocl::Device& device, const CompactSettings& settings,
                                    const std::vector<std::vector<std::byte>>& frames);
std::string compact_decode_table(const CompactDecoding& decoding);

}  // namespace texcast::bench
