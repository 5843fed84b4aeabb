#include "bench/pipeline.h"

#include <fmt/core.h>

#include <algorithm>
#include <deque>
#include <memory>

#include "base/ensure.h"
#include "encoder_flow.h"
#include "ocl/program.h"
#include "stages/stage.h"
#include "upload_flow.h"

namespace texcast::bench {
namespace {

std::vector<PipelineTiming> wanted(const std::string& only) {
  std::vector<PipelineTiming> all;
  for (const TextureFormat texture : encoded_formats())
    for (const Quality quality : kQualities)
      if (has_quality(texture, quality) &&
          fmt::format("{} {}", name(texture), name(quality)).find(only) != std::string::npos)
        all.push_back({.texture = texture, .quality = quality, .method = method_for(texture, quality)});
  return all;
}

}  // namespace

void work_out(PipelineReport& report) {
  UploadLimit& upload = report.upload;
  upload.gigabytes_per_second = upload.frames.per_second * static_cast<double>(upload.frame_bytes) / 1e9;
  const auto percent = [&](const FlowRate& rate) {
    return upload.frames.per_second > 0 ? 100 * rate.per_second / upload.frames.per_second : 0;
  };
  upload.both_ways_percent = percent(upload.both_ways);
  for (PipelineTiming& t : report.qualities) t.percent_of_upload = percent(t.frames);
}

namespace {

template <typename RateOf>
double gain(const std::vector<PipelineReport>& alone, const PipelineReport& together, RateOf&& rate_of) {
  double sum = 0;
  for (const PipelineReport& report : alone) {
    if (rate_of(report).per_second <= 0) return 0;
    sum += rate_of(report).per_second;
  }
  return rate_of(together).per_second * static_cast<double>(alone.size()) / std::max(sum, 1e-9);
}

}  // namespace

double times_one(const std::vector<PipelineReport>& alone, const PipelineReport& together, size_t quality) {
  return gain(alone, together, [&](const PipelineReport& r) { return r.qualities.at(quality).frames; });
}
double upload_times_one(const std::vector<PipelineReport>& alone, const PipelineReport& together) {
  return gain(alone, together, [](const PipelineReport& r) { return r.upload.frames; });
}

PipelineReport time_pipeline(const std::vector<const ocl::Device*>& devices, const PipelineSettings& settings,
                             const Progress& progress) {
  ENSURE(!devices.empty());
  std::string selector;
  for (const ocl::Device* device : devices)
    selector.append(selector.empty() ? "" : ",").append(std::to_string(device->info().index));
  PipelineReport report;
  report.upload.frame_bytes = stages::place_source(settings.source).bytes;
  report.qualities = wanted(settings.only);
  try {
    UploadFlow upload(devices, report.upload.frame_bytes, 0, settings.frames_in_flight);
    const size_t blocks = texture_layout(TextureFormat::bc1, settings.source.width, settings.source.height).total_bytes;
    UploadFlow both_ways(devices, report.upload.frame_bytes, blocks, settings.frames_in_flight);
    std::deque<EncoderFlow> encoders;  // a deque: its flows borrow
    std::vector<PipelineTiming*> timed;
    std::vector<Flow> flows = {upload.flow(), both_ways.flow()};
    for (PipelineTiming& timing : report.qualities) {
      if (progress) progress(fmt::format("building {} {}", name(timing.texture), name(timing.quality)));
      try {
        encoders.emplace_back(EncoderSettings{.source = settings.source,
                                              .texture = timing.texture,
                                              .quality = timing.quality,
                                              .device = selector,
                                              .frames_in_flight = settings.frames_in_flight,
                                              .queues = settings.queues});
        flows.push_back(encoders.back().flow());
        timed.push_back(&timing);
      } catch (const Error& error) {
        timing.failure = ocl::first_line(error.what());
      }
    }
    if (progress) progress(fmt::format("timing {} pipelines in turn", flows.size()));
    const std::vector<FlowRate> rates = time_flows(flows, settings.flow);
    report.upload.frames = rates[0];
    report.upload.both_ways = rates[1];
    for (size_t i = 0; i < timed.size(); ++i) {
      timed[i]->frames = rates[i + 2];
      timed[i]->stages = encoders[i].encoder().last_stage_times();
    }
  } catch (const cl::Error& error) {
    throw ocl::device_error(error, devices.front()->info());
  }
  work_out(report);
  return report;
}

}  // namespace texcast::bench
