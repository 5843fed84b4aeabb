// bench_pipeline.cpp — `texcast bench pipeline`: decoded frames to blocks, beside uploading alone.
#include <fmt/core.h>

#include <algorithm>

#include "bench.h"
#include "bench/tables.h"
#include "text/status_line.h"

namespace texcast::cli {
namespace {

Json to_json(const bench::FlowRate& rate) {
  return Json::object({{"frames_per_s", rate.per_second},
                       {"slowest_frames_per_s", rate.slowest},
                       {"fastest_frames_per_s", rate.fastest},
                       {"rounds", rate.rounds},
                       {"frames", rate.pieces}});
}

Json to_json(const bench::PipelineTiming& t) {
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

Json to_json(const bench::PipelineReport& report) {
  Json upload = to_json(report.upload.frames);
  upload["frame_bytes"] = report.upload.frame_bytes;
  upload["gigabytes_per_s"] = report.upload.gigabytes_per_second;
  upload["both_ways_frames_per_s"] = report.upload.both_ways.per_second;
  upload["both_ways_percent"] = report.upload.both_ways_percent;
  Json qualities = Json::array();
  for (const bench::PipelineTiming& t : report.qualities) qualities.push(to_json(t));
  return Json::object({{"upload", upload}, {"qualities", qualities}});
}

bench::PipelineSettings settings_of(const BenchContext& context) {
  bench::PipelineSettings settings{.source = context.source, .only = context.options.only};
  if (context.options.everything) settings.flow.patience = {};
  return settings;
}

bench::PipelineReport measured(const BenchContext& context, const std::vector<const ocl::Device*>& devices) {
  StatusLine status;
  bench::PipelineReport report =
      bench::time_pipeline(devices, settings_of(context), [&](const std::string& text) { status.show(text); });
  if (report.qualities.empty()) nothing_fits(context, "format and quality");
  return report;
}

}  // namespace

Json bench_pipeline(const BenchContext& context) {
  const bench::PipelineReport report = measured(context, {&context.device});
  context.pipelines.push_back(report);
  if (!context.options.json) {
    fmt::print("{}", bench::pipeline_table(report));
    if (std::any_of(report.qualities.begin(), report.qualities.end(),
                    [](const auto& t) { return t.failure.empty() && t.frames.rounds == 0; }))
      fmt::print("--everything gives them as many rounds as the others\n");
  }
  Json json = to_json(report);
  json["frames_in_flight"] = settings_of(context).frames_in_flight;
  return json;
}

Json bench_together(const BenchContext& context, const std::vector<const ocl::Device*>& devices) {
  const bench::PipelineReport together = measured(context, devices);
  Json json = to_json(together);
  Json gains = Json::array();
  for (size_t i = 0; i < together.qualities.size(); ++i)
    gains.push(Json::object({{"format", name(together.qualities[i].texture)},
                             {"quality", name(together.qualities[i].quality)},
                             {"times_one", bench::times_one(context.pipelines, together, i)}}));
  json["upload_times_one"] = bench::upload_times_one(context.pipelines, together);
  json["gains"] = gains;
  if (!context.options.json)
    fmt::print("\n{} devices together\n{}\n{}", devices.size(), bench::pipeline_table(together),
               bench::gain_table(context.pipelines, together));
  return json;
}

}  // namespace texcast::cli
