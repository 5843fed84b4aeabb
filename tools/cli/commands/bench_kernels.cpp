// bench_kernels.cpp — `texcast bench kernels`: every kernel and form beside the memory floor.
#include <fmt/core.h>

#include "bench.h"
#include "bench/tables.h"
#include "text/figures.h"
#include "text/status_line.h"
#include "tuner/tuning.h"

namespace texcast::cli {
namespace {

constexpr nanoseconds kBudget = std::chrono::milliseconds(250);  // for all rounds of one kernel

Json to_json(const bench::KernelTiming& t) {
  const stages::StageSettings& s = t.candidate.settings;
  Json json = Json::object({{"name", t.candidate.name}, {"memory_floor", t.candidate.is_floor}});
  if (!t.candidate.is_floor) {
    json["format"] = name(s.texture);
    json["method"] = name(s.method);
    if (has_passes(s.method)) json["passes"] = s.lspiro_steps.passes;
    if (has_radius(s.method)) json["radius"] = s.lspiro_steps.radius;
    json["form"] = tuner::name(s.form);
    if (s.form == stages::Form::group) json["blocks_per_group"] = s.blocks_per_group;
    json["source_memory"] = tuner::name(s.source_memory);
  }
  if (!t.failure.empty()) {
    json["failure"] = t.failure;
    return json;
  }
  add_spread(json, t.time);
  json["megapixels_per_s"] = t.megapixels_per_second;
  json["times_floor"] = t.times_floor;
  return json;
}

}  // namespace

Json bench_kernels(const BenchContext& context) {
  const BenchOptions& o = context.options;
  auto candidates = bench::all_candidates(context.source, o.only, o.lspiro);
  const size_t all = candidates.size();
  if (all == 1) {  // the floor
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
                          {.rounds = static_cast<int>(o.rounds), .budget = o.everything ? nanoseconds{} : kBudget},
                          [&](const std::string& text) { status.show(text); });
  status.clear();

  Json list = Json::array();
  bool fewer_rounds = false;
  for (const bench::KernelTiming& t : timings) {
    list.push(to_json(t));
    fewer_rounds |= t.failure.empty() && t.time.rounds < o.rounds;
  }
  if (!o.json) {
    fmt::print("{}", bench::kernel_table(timings));
    if (fewer_rounds)
      fmt::print("{} ms for each kernel: slow ones have fewer rounds; --everything has no limit\n",
                 kBudget.count() / 1'000'000);
    if (left_out > 0)
      fmt::print("left out: {} known to be slow on such a device ({}); --everything has them\n",
                 plural(left_out, "form"),
                 context.device.info().is_gpu ? "16 blocks an item" : "16 items a block, images");
  }
  return Json::object({{"kernels", list}, {"forms_left_out", left_out}});
}

}  // namespace texcast::cli
