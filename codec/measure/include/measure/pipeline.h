// pipeline.h — frames a second from decoded frames in host memory to blocks in host memory, through the public encoder
// with several frames in flight, beside what uploading alone allows.
#pragma once

#include <string>
#include <vector>

#include "measure/flow.h"
#include "measure/kernels.h"
#include "ocl/device.h"
#include "texcast/encoder.h"

namespace texcast::measure {

struct PipelineSettings {
  FrameFormat source;
  std::string only{};  // format and quality, as "bc1 fast", that have this in them
  int frames_in_flight = EncoderSettings{}.frames_in_flight;
  FlowSettings flow{};
};

// From pinned host memory to the device and nothing else: the bytes of one frame as the encoder uploads them.
struct UploadLimit {
  size_t frame_bytes = 0;
  FlowRate frames;
  double gigabytes_per_second = 0;  // 10^9 bytes
};

struct PipelineTiming {
  TextureFormat texture = TextureFormat::bc1;
  Quality quality = Quality::fast;
  Method method = Method::range;
  std::string failure{};  // why the device could not run it, one line; the rest is zero then
  FlowRate frames{};
  double percent_of_upload = 0;
  StageTimes stages{};  // of the last frame
};

struct PipelineReport {
  UploadLimit upload;
  std::vector<PipelineTiming> qualities;  // every format and quality that there is
};

// All in turns, the upload as well. Throws Error{no_device} when the device has no room for the frames.
PipelineReport time_pipeline(const ocl::Device& device, const PipelineSettings& settings,
                             const Progress& progress = {});

// The figures that follow from the rates: time_pipeline has done it.
void work_out(PipelineReport& report);

}  // namespace texcast::measure
