// bench_tune.cpp — `texcast bench --tune`: every form of the qualities' kernels; the fastest is what encoders take from
// now on.
#include <fmt/core.h>

#include <cstdio>

#include "bench.h"
#include "text/status_line.h"
#include "tuner/tune.h"

namespace texcast::cli {
namespace {

Json to_json(const tuner::Row& row, const tuner::Tuning& winner) {
  Json json = Json::object({{"name", tuner::describe(row.tuning)},
                            {"form", tuner::name(row.tuning.form)},
                            {"source_memory", tuner::name(row.tuning.source_memory)}});
  if (row.tuning.form == stages::Form::wide) json["group_size"] = row.tuning.group_size;
  if (row.tuning.form == stages::Form::group) json["blocks_per_group"] = row.tuning.blocks_per_group;
  if (!row.left_out.empty()) {
    json["left_out"] = row.left_out;
    return json;
  }
  json["winner"] = row.tuning == winner;
  add_spread(json, row.time);
  return json;
}

Json to_json(const tuner::Table& table, const stages::StageSettings& settings) {
  Json forms = Json::array();
  for (const tuner::Row& row : table.rows) forms.push(to_json(row, table.winner));
  return Json::object({{"format", name(settings.texture)},
                       {"method", name(settings.method)},
                       {"height", table.height},
                       {"winner", tuner::describe(table.winner)},
                       {"forms", std::move(forms)}});
}

}  // namespace

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
    list.push(to_json(table, settings));
    if (context.options.json) continue;
    fmt::print("{}\n", tuner::text(table, settings));
    std::fflush(stdout);
  }
  return list;
}

}  // namespace texcast::cli
