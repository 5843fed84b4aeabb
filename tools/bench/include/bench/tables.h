// tables.h — measurements as text for a person: lines of at most 120 characters, each ended.
#pragma once

#include <string>
#include <vector>

#include "bench/kernels.h"
#include "bench/picture_quality.h"
#include "bench/pipeline.h"

namespace texcast::bench {

// "NVIDIA H200 (NVIDIA CUDA, driver 580.1)" and ", 1920x1080 nv12", without an end of line.
std::string heading(const DeviceInfo& device);
std::string heading(const DeviceInfo& device, const FrameFormat& source);

std::string kernel_table(const std::vector<KernelTiming>& timings);
std::string pipeline_table(const PipelineReport& report);
// What several devices together gain over the mean of each alone.
std::string gain_table(const std::vector<PipelineReport>& alone, const PipelineReport& together);
std::string quality_table(const std::vector<QualityScore>& scores);

}  // namespace texcast::bench
