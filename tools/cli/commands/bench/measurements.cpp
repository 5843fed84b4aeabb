// measurements.cpp — runs each measurement by the options, shows progress and prints the results.
#include "bench/measurements.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>

#include "bench/kernels.h"
#include "bench/lspiro.h"
#include "bench/picture_quality.h"
#include "bench/report.h"
#include "media/frame_source.h"
#include "texcast/error.h"
#include "text/figures.h"
#include "text/progress.h"

namespace texcast::cli {
namespace {

constexpr nanoseconds kBudget = std::chrono::milliseconds(250);  // for all rounds of one kernel

int64_t rounds_of(const BenchOptions& o) {
  constexpr int64_t kUsual = 30;
  return o.rounds.value_or(kUsual);
}

// --only matches none of this measurement's `what`. Throws Error{usage} if it is the only measurement, else prints a
// line.
void nothing_fits(const BenchContext& context, const std::string& what) {
  const std::string message = fmt::format("no {} has '{}' in its name", what, context.options.only);
  if (context.alone) throw Error(ErrorKind::usage, message + "; bench without --only lists them");
  if (!context.options.json) fmt::print("skipped: {}\n", message);
}

bench::PipelineSettings settings_of(const BenchContext& context) {
  bench::PipelineSettings settings{.source = context.source, .only = context.options.only};
  if (context.options.everything) settings.flow.one_is_enough = {};
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

Json bench_kernels(const BenchContext& context) {
  const BenchOptions& o = context.options;
  auto candidates = bench::all_candidates(context.source, o.only, o.options);
  const size_t all = candidates.size();
  if (all == 1) {  // the baseline alone
    nothing_fits(context, "kernel");
    return Json::object({{"kernels", Json::array()}, {"forms_left_out", 0}});
  }
  if (!o.everything)
    std::erase_if(candidates,
                  [&](const bench::Candidate& c) { return bench::is_slow_form(context.device.info(), c.settings); });
  const size_t left_out = all - candidates.size();

  StatusLine status;
  const auto timings =
      bench::time_kernels(context.device, std::move(candidates),
                          {.rounds = static_cast<int>(rounds_of(o)), .budget = o.everything ? nanoseconds{} : kBudget},
                          [&](const std::string& text) { status.show(text); });
  status.clear();

  Json list = Json::array();
  bool fewer_rounds = false;
  for (const bench::KernelTiming& t : timings) {
    list.push(bench::to_json(t));
    fewer_rounds |= t.failure.empty() && t.time.rounds < rounds_of(o);
  }
  if (!o.json) {
    fmt::print("{}", bench::kernel_table(timings));
    if (fewer_rounds)
      fmt::print(
          "slow kernels have fewer rounds, because each is measured for {} ms at most; --everything removes the "
          "limit\n",
          kBudget.count() / 1'000'000);
    if (left_out > 0)
      fmt::print("skipped: {} known to be slow on such a device ({}); --everything includes them\n",
                 plural(left_out, "variant"),
                 context.device.info().is_gpu ? "16 blocks per work-item" : "16 work-items per block, images");
  }
  return Json::object({{"kernels", list}, {"forms_left_out", left_out}});
}

Json bench_pipeline(const BenchContext& context) {
  const bench::PipelineReport report = measured(context, {&context.device});
  context.pipelines.push_back(report);
  if (!context.options.json) {
    fmt::print("{}", bench::pipeline_table(report));
    if (std::any_of(report.qualities.begin(), report.qualities.end(),
                    [](const auto& t) { return t.failure.empty() && t.frames.rounds == 0; }))
      fmt::print("--everything measures them as often as the others\n");
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

std::vector<Picture> read_pictures(const std::vector<std::string>& files) {
  std::vector<Picture> pictures;
  for (const std::string& file : files) {
    const auto source = media::open_source({.input = file, .alpha = true});
    const auto frame = source->next();
    if (!frame) throw Error(ErrorKind::input, fmt::format("{} has no picture", file));
    convert_to_channels(frame->view, has_alpha(frame->view.format) ? 4 : 3,
                        pictures.emplace_back(Picture{file, {}}).image);
  }
  return pictures;
}

Json bench_psnr(const BenchContext& context) {
  const BenchOptions& o = context.options;
  std::vector<const DecodedImage*> images;
  std::vector<std::string> files;
  double megapixels = 0;
  for (const Picture& picture : context.pictures) {
    images.push_back(&picture.image);
    files.push_back(picture.file);
    megapixels += 1e-6 * picture.image.width * picture.image.height;
  }
  StatusLine status;
  const auto scores = bench::score_pictures(std::to_string(context.device.info().index), images, o.only, o.options,
                                            [&](const std::string& text) { status.show(text); });
  status.clear();

  if (scores.empty()) nothing_fits(context, "format and method");
  Json list = Json::array();
  for (const bench::QualityScore& s : scores) list.push(to_json(s));
  if (!o.json)
    fmt::print("{}, {:.1f} megapixels, squared errors over R, G and B pooled over all pixels\n{}",
               plural(files.size(), "picture"), megapixels, bench::quality_table(scores));
  return Json::object({{"pictures", files}, {"megapixels", megapixels}, {"scores", list}});
}

Json bench_lspiro(const BenchContext& context) {
  const BenchOptions& o = context.options;
  bench::LspiroRunSettings settings;
  settings.timing.rounds = static_cast<int>(rounds_of(o));
  if (o.everything) settings.timing.budget = {};
  StatusLine status;
  const auto tables =
      bench::repeat_lspiro_tables(context.device, settings, [&](const std::string& text) { status.show(text); });
  status.clear();
  if (!o.json) fmt::print("{}", bench::lspiro_text(tables));
  return bench::lspiro_json(tables);
}

Json bench_tune(const BenchContext& context) {
  const auto kernels = tuner::quality_kernels(context.source, context.options.only);
  if (kernels.empty()) nothing_fits(context, "quality's kernel");
  StatusLine status;
  const tuner::MakeRun make_run = tuner::runs_on(context.device);
  Json list = Json::array();
  for (const stages::StageSettings& settings : kernels) {
    const auto shown = [&](const stages::StageSettings& form) {
      status.show(fmt::format("{}: {}", tuner::subject(settings), tuner::describe(tuner::tuning_of(form))));
      return make_run(form);
    };
    const tuner::Table table = tuner::tune_thoroughly(context.device, settings, shown);
    status.clear();
    list.push(bench::to_json(table, settings));
    if (context.options.json) continue;
    fmt::print("{}\n", tuner::text(table, settings));
    std::fflush(stdout);
  }
  return list;
}

}  // namespace texcast::cli
