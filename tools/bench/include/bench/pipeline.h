// pipeline.h — frames a second from decoded frames in host memory to blocks in host memory, through the public encoder
// with several frames in flight, beside what uploading alone allows.
#pragma once

#include <string>
#include <vector>

#include "bench/flow.h"
#include "bench/kernels.h"
#include "ocl/device.h"
#include "texcast/encoder.h"
#include "text/json_text.h"

namespace texcast::bench {

struct PipelineSettings {
  FrameFormat source;
  std::string only{};  // format and quality, as "bc1 fast", that have this in them
  int frames_in_flight = EncoderSettings{}.frames_in_flight;  // on each device
  QueueLayout queues = EncoderSettings{}.queues;
  FlowSettings flow{};
};

// From pinned host memory to the device and nothing else: the bytes of one frame as the encoder uploads them.
struct UploadLimit {
  size_t frame_bytes = 0;
  FlowRate frames;
  double gigabytes_per_second = 0;  // 10^9 bytes
  FlowRate both_ways;               // while as many bytes as BC1's blocks have come back: what no pipeline can pass
  double both_ways_percent = 0;     // of `frames`
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

// All in turns, the upload as well. Several devices (at least one) work together: the encoder deals the frames out, and
// so does the upload. Throws Error{no_device} when a device has no room for the frames.
PipelineReport time_pipeline(const std::vector<const ocl::Device*>& devices, const PipelineSettings& settings,
                             const Progress& progress = {});

// `together` over the mean of `alone` for a quality; zero where one has no figure. How much several devices gain.
double times_one(const std::vector<PipelineReport>& alone, const PipelineReport& together, size_t quality);
// The same for the upload.
double upload_times_one(const std::vector<PipelineReport>& alone, const PipelineReport& together);

// The figures that follow from the rates: time_pipeline has done it.
void work_out(PipelineReport& report);

std::string pipeline_table(const PipelineReport& report);
// What several devices together gain over the mean of each alone.
std::string gain_table(const std::vector<PipelineReport>& alone, const PipelineReport& together);
Json to_json(const PipelineReport& report);

}  // namespace texcast::bench
