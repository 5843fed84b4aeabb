// bench_lspiro.cpp — `texcast bench lspiro`: the tables of Perminov's paper, repeated.
#include <fmt/core.h>

#include "bench.h"
#include "text/status_line.h"

namespace texcast::cli {
namespace {

Json to_json(const bench::LspiroCell& cell, const std::string& column) {
  Json json = Json::object({{"column", column}, {"paper_ms", cell.paper_ms}});
  if (cell.time.rounds == 0) {
    json["left_out"] = cell.why_not;
    return json;
  }
  add_spread(json, cell.time);
  json["wrong_blocks"] = cell.wrong_blocks;
  return json;
}

Json numbers(const std::vector<double>& values) {
  Json list = Json::array();
  for (const double value : values) list.push(value);
  return list;
}

Json to_json(const bench::LspiroFinding& f) {
  Json json = Json::object({{"claim", f.claim},
                            {"verdict", bench::name(f.verdict)},
                            {"ratios", numbers(f.here)},
                            {"paper_ratios", numbers(f.paper)}});
  if (!f.reason.empty()) json["reason"] = f.reason;
  return json;
}

Json to_json(const bench::LspiroTable& table) {
  Json rows = Json::array();
  for (const bench::LspiroRow& row : table.rows) {
    Json cells = Json::array();
    for (size_t c = 0; c < row.cells.size(); ++c) cells.push(to_json(row.cells[c], table.columns[c]));
    rows.push(Json::object({{"name", row.name}, {"cells", std::move(cells)}}));
  }
  Json findings = Json::array();
  for (const bench::LspiroFinding& f : table.findings) findings.push(to_json(f));
  return Json::object({{"number", table.number},
                       {"title", table.title},
                       {"rows", std::move(rows)},
                       {"margin", table.margin},
                       {"same_shape", bench::same_shape(table)},
                       {"findings", std::move(findings)}});
}

}  // namespace

void add_spread(Json& json, const tuner::Spread& time) {
  json["rounds"] = time.rounds;
  json["min_us"] = time.min_us;
  json["median_us"] = time.median_us;
  json["max_us"] = time.max_us;
}

Json lspiro_json(const std::vector<bench::LspiroTable>& tables) {
  Json list = Json::array();
  for (const bench::LspiroTable& table : tables) list.push(to_json(table));
  return list;
}

Json bench_lspiro(const BenchContext& context) {
  const BenchOptions& o = context.options;
  bench::LspiroRunSettings settings;
  settings.timing.rounds = static_cast<int>(o.rounds);
  if (o.everything) settings.timing.budget = {};
  StatusLine status;
  const auto tables =
      bench::repeat_lspiro_tables(context.device, settings, [&](const std::string& text) { status.show(text); });
  status.clear();
  if (!o.json) fmt::print("{}", bench::lspiro_text(tables));
  return lspiro_json(tables);
}

}  // namespace texcast::cli
