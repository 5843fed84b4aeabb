// coding.h — how long the CPU and an OpenCL device take to encode and decode a coded stream.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/workers.h"
#include "compact/opencl_lossless_backend.h"
#include "compact/opencl_lossy_backend.h"
#include "compact/opencl_reconstruction_backend.h"
#include "ocl/device.h"
#include "texcast/encoder.h"

namespace texcast::bench {

struct CodingSettings {
  FrameFormat source;
  TextureFormat texture = TextureFormat::bc1;
  Quality quality = Quality::normal;  // of the block encoder; also the search effort of lossy streams
  std::optional<double> crf{};        // lossy
  bool transform = false;             // lossy: also by transform coding
  int rounds = 4;                     // through the frames and back
  bool timeline = false;              // measures the device; lossy: notes the parts of frames
  int threads = Workers::suggested_threads() + 1;
};

struct CodingTiming {
  std::string backend;
  // Medians of a frame: in total; begin(), which finds the changed tiles and waits for the device's slices; next(),
  // which packs the slices; end(), which updates the reference.
  double frame_ms = 0, begin_ms = 0, slices_ms = 0, end_ms = 0;
  double bits_per_pixel = 0;
  // Means of a frame.
  compact::LosslessBackendTimes lossless{};
  compact::LossyBackendTimes lossy{};
  bool same = true;        // the slices are those of the CPU
  std::string timeline{};  // of the device, as a table
};

// Encodes `frames` forwards and backwards, by all CPU threads, then by the device. There are at least two frames. The
// planes of a frame follow each other in the format `settings.source`, without padding. Throws Error{no_device}.
std::vector<CodingTiming> time_coding(const ocl::Device& device, const CodingSettings& settings,
                                      const std::vector<std::vector<std::byte>>& frames);
std::string coding_table(const std::vector<CodingTiming>& timings, bool is_lossy);

struct DecodingTiming {
  std::string backend;
  double frame_ms = 0;                           // median
  double processor_ms = 0;                       // this process's CPU time for a frame: median
  compact::ReconstructionBackendTimes device{};  // medians
  bool same = true;                              // the textures are those of the CPU
};
struct DecodingReport {
  double slices = 0, kilobytes = 0;  // of a frame: means
  double transform = 0;              // tiles in transform slices
  std::vector<DecodingTiming> timings;
};

// Decodes the same frames from a lossy stream, which the device encodes unless it has transform slices. `settings.crf`
// is set. There is at least one frame.
DecodingReport time_decoding(const ocl::Device& device, const CodingSettings& settings,
                             const std::vector<std::vector<std::byte>>& frames);
std::string decoding_table(const DecodingReport& report);

}  // namespace texcast::bench
