// pipeline.h — frame rate of the public encoder with several frames in flight, from decoded frames in host memory to
// blocks in host memory, compared with the rate of uploads alone.
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
  std::string only{};  // measures formats and qualities ("bc1 fast") that contain this
  int frames_in_flight = EncoderSettings{}.frames_in_flight;  // on each device
  QueueLayout queues = EncoderSettings{}.queues;
  FlowSettings flow{};
};

// Uploads alone, from pinned host memory to the device: the bytes of one frame as the encoder uploads them.
struct UploadLimit {
  size_t frame_bytes = 0;
  FlowRate frames;
  double gigabytes_per_second = 0;  // 10^9 bytes
  FlowRate both_ways;               // while as many bytes as BC1's blocks are downloaded; no pipeline is faster
  double both_ways_percent = 0;     // of `frames`
};

struct PipelineTiming {
  TextureFormat texture = TextureFormat::bc1;
  Quality quality = Quality::fast;
  Method method = Method::range;
  std::string failure{};  // one line: why the device could not run it; the other members are then zero
  FlowRate frames{};
  double percent_of_upload = 0;
  StageTimes stages{};  // of the last frame
};

struct PipelineReport {
  UploadLimit upload;
  std::vector<PipelineTiming> qualities;  // of all formats and qualities
};

// Times uploads and all pipelines in turns. Several devices (at least one) work together: encoder and upload distribute
// the frames among them. Throws Error{no_device} if a device has no memory for the frames.
PipelineReport time_pipeline(const std::vector<const ocl::Device*>& devices, const PipelineSettings& settings,
                             const Progress& progress = {});

// How much several devices gain: the rate of `together` over the mean rate of `alone`, for a quality. Zero if one of
// them was not measured.
double times_one(const std::vector<PipelineReport>& alone, const PipelineReport& together, size_t quality);
// Likewise for uploads.
double upload_times_one(const std::vector<PipelineReport>& alone, const PipelineReport& together);

// Computes the other figures from the rates, as time_pipeline() has done.
void work_out(PipelineReport& report);

std::string pipeline_table(const PipelineReport& report);
// The gain of several devices together over the mean of each alone.
std::string gain_table(const std::vector<PipelineReport>& alone, const PipelineReport& together);
Json to_json(const PipelineReport& report);

}  // namespace texcast::bench
