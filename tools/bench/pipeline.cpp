#include "bench/pipeline.h"

#include <fmt/core.h>

#include <algorithm>
#include <deque>
#include <memory>

#include "base/ensure.h"
#include "ocl/program.h"
#include "stages/stage.h"
#include "text/figures.h"

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

double microseconds(nanoseconds time) { return std::chrono::duration<double, std::micro>(time).count(); }

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
    std::deque<EncoderFlow> encoders;  // a deque, as flows point into its elements
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

std::string pipeline_table(const PipelineReport& report) {
  const UploadLimit& upload = report.upload;
  std::string text = fmt::format("{:<37} {:>9} {:>9} {:>9} {:>10} {:>10} {:>9} {:>9} {:>8}\n", "pipeline", "frames/s",
                                 "slowest", "fastest", "ms a frame", "% of limit", "upload us", "kernel us", "down us");
  const auto row = [&](const std::string& what, const FlowRate& rate, double percent, const std::string& stages) {
    text +=
        fmt::format("{:<37} {:>9} {:>9} {:>9} {:>10.3f} {:>10.1f}{}\n", what, three_digits(rate.per_second),
                    three_digits(rate.slowest), three_digits(rate.fastest), 1000 / rate.per_second, percent, stages);
  };
  row(fmt::format("upload alone, {:.2f} GB/s: the limit", upload.gigabytes_per_second), upload.frames, 100, "");
  row("upload while BC1 blocks come back", upload.both_ways, upload.both_ways_percent, "");
  bool one_frame = false;
  for (const PipelineTiming& t : report.qualities) {
    const std::string what = fmt::format("{} {} ({})", name(t.texture), name(t.quality), name(t.method));
    if (!t.failure.empty()) {
      text += fmt::format("{:<37} cannot run: {}\n", what, t.failure);
      continue;
    }
    one_frame |= t.frames.rounds == 0;
    row(what + (t.frames.rounds == 0 ? " *" : ""), t.frames, t.percent_of_upload,
        fmt::format(" {:>9.0f} {:>9.0f} {:>8.0f}", microseconds(t.stages.upload), microseconds(t.stages.kernel),
                    microseconds(t.stages.download)));
  }
  if (one_frame) text += "* too slow for several rounds: measured on a single frame\n";
  return text;
}

std::string gain_table(const std::vector<PipelineReport>& alone, const PipelineReport& together) {
  std::string text = fmt::format("{:<37} {:>9} {:>9}\n", fmt::format("{} devices", alone.size()), "frames/s", "x one");
  const auto row = [&](const std::string& what, const FlowRate& rate, double times) {
    text += fmt::format("{:<37} {:>9} {:>9.2f}\n", what, three_digits(rate.per_second), times);
  };
  row("upload alone", together.upload.frames, upload_times_one(alone, together));
  for (size_t i = 0; i < together.qualities.size(); ++i) {
    const PipelineTiming& t = together.qualities[i];
    row(fmt::format("{} {} ({})", name(t.texture), name(t.quality), name(t.method)), t.frames,
        times_one(alone, together, i));
  }
  return text;
}

namespace {

Json to_json(const FlowRate& rate) {
  return Json::object({{"frames_per_s", rate.per_second},
                       {"slowest_frames_per_s", rate.slowest},
                       {"fastest_frames_per_s", rate.fastest},
                       {"rounds", rate.rounds},
                       {"frames", rate.pieces}});
}

Json to_json(const PipelineTiming& t) {
  Json json = t.failure.empty() ? to_json(t.frames) : Json::object({{"failure", t.failure}});
  json["format"] = name(t.texture);
  json["quality"] = name(t.quality);
  json["method"] = name(t.method);
  if (!t.failure.empty()) return json;
  json["percent_of_upload"] = t.percent_of_upload;
  json["stages_ms"] = Json::object({{"stage_in", in_milliseconds(t.stages.stage_in)},
                                    {"upload", in_milliseconds(t.stages.upload)},
                                    {"kernel", in_milliseconds(t.stages.kernel)},
                                    {"download", in_milliseconds(t.stages.download)}});
  return json;
}

}  // namespace

Json to_json(const PipelineReport& report) {
  Json upload = to_json(report.upload.frames);
  upload["frame_bytes"] = report.upload.frame_bytes;
  upload["gigabytes_per_s"] = report.upload.gigabytes_per_second;
  upload["both_ways_frames_per_s"] = report.upload.both_ways.per_second;
  upload["both_ways_percent"] = report.upload.both_ways_percent;
  Json qualities = Json::array();
  for (const PipelineTiming& t : report.qualities) qualities.push(to_json(t));
  return Json::object({{"upload", upload}, {"qualities", qualities}});
}

}  // namespace texcast::bench
