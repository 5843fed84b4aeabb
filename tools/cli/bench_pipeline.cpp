// bench_pipeline.cpp — `texcast bench pipeline`: decoded frames to blocks, beside uploading alone.
#include <fmt/core.h>

#include "cli/bench.h"
#include "cli/status_line.h"
#include "measure/tables.h"

namespace texcast::cli {
namespace {

Json to_json(const measure::FlowRate& rate) {
  return Json::object({{"frames_per_s", rate.per_second},
                       {"slowest_frames_per_s", rate.slowest},
                       {"fastest_frames_per_s", rate.fastest},
                       {"rounds", rate.rounds},
                       {"frames", rate.pieces}});
}

double milliseconds(nanoseconds time) { return std::chrono::duration<double, std::milli>(time).count(); }

Json to_json(const measure::PipelineTiming& t) {
  Json json = t.failure.empty() ? to_json(t.frames) : Json::object({{"failure", t.failure}});
  json["format"] = name(t.texture);
  json["quality"] = name(t.quality);
  json["method"] = name(t.method);
  if (!t.failure.empty()) return json;
  json["percent_of_upload"] = t.percent_of_upload;
  json["stages_ms"] = Json::object({{"stage_in", milliseconds(t.stages.stage_in)},
                                    {"upload", milliseconds(t.stages.upload)},
                                    {"kernel", milliseconds(t.stages.kernel)},
                                    {"download", milliseconds(t.stages.download)}});
  return json;
}

}  // namespace

Json bench_pipeline(const BenchContext& context) {
  const BenchOptions& o = context.options;
  measure::PipelineSettings settings{.source = context.source, .only = o.only};
  if (o.everything) settings.flow.patience = {};
  StatusLine status;
  const measure::PipelineReport report =
      measure::time_pipeline(context.device, settings, [&](const std::string& text) { status.show(text); });
  status.clear();

  if (report.qualities.empty()) nothing_fits(context, "format and quality");
  bool one_frame = false;
  Json upload = to_json(report.upload.frames);
  upload["frame_bytes"] = report.upload.frame_bytes;
  upload["gigabytes_per_s"] = report.upload.gigabytes_per_second;
  Json qualities = Json::array();
  for (const measure::PipelineTiming& t : report.qualities) {
    qualities.push(to_json(t));
    one_frame |= t.failure.empty() && t.frames.rounds == 0;
  }
  if (!o.json) {
    fmt::print("{}", measure::pipeline_table(report));
    if (one_frame) fmt::print("--everything gives them as many rounds as the others\n");
  }
  return Json::object({{"frames_in_flight", settings.frames_in_flight}, {"upload", upload}, {"qualities", qualities}});
}

}  // namespace texcast::cli
