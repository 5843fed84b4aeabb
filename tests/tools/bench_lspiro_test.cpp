// The paper's tables as JSON, with the reasons for cells that were not measured.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "bench/lspiro.h"

using namespace texcast;
using bench::LspiroCell;
using nlohmann::json;

TEST_CASE("bench lspiro --json has every cell of the paper, or the reason why it is missing") {
  auto tables = bench::lspiro_paper_tables();
  for (bench::LspiroTable& table : tables) {
    for (bench::LspiroRow& row : table.rows)
      for (LspiroCell& cell : row.cells) cell.time = {.min_us = 90, .median_us = 100, .max_us = 120, .rounds = 30};
    if (table.number == 4) {
      table.rows[4].cells[0].time = {};
      table.rows[4].cells[0].why_not = "no such option";
    }
    judge(table, DeviceInfo{});
  }
  const json report = json::parse(bench::lspiro_json(tables).text());
  REQUIRE(report.size() == 3);
  CHECK(report[0]["number"] == 2);
  CHECK(report[0]["rows"][1]["name"] == "rank sort");
  const json& cell = report[0]["rows"][1]["cells"][2];
  CHECK(cell == json({{"column", "many values"},
                      {"paper_ms", 2.1},
                      {"rounds", 30},
                      {"min_us", 90.0},
                      {"median_us", 100.0},
                      {"max_us", 120.0},
                      {"wrong_blocks", 0}}));
  CHECK(report[0]["same_shape"] == false);
  CHECK(report[0]["findings"][0]["verdict"] == "no difference");
  CHECK(report[0]["findings"][0]["ratios"] == json({1.0, 1.0, 1.0}));
  CHECK(report[0]["findings"][0].contains("reason"));
  CHECK(report[1]["rows"][0]["cells"].size() == 8);
  const json& left_out = report[2]["rows"][4]["cells"][0];
  CHECK(left_out["left_out"] == "no such option");
  CHECK_FALSE(left_out.contains("median_us"));
  CHECK(report[2]["findings"][3]["verdict"] == "not measured");
}
