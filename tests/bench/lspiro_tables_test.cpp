#include <doctest/doctest.h>

#include <sstream>

#include "bench/lspiro.h"

using namespace texcast;
using namespace texcast::bench;
using Verdict = LspiroFinding::Verdict;

namespace {

constexpr int kRounds = 30;

// As if the paper's own device had been measured, with the same time in every round.
std::vector<LspiroTable> measured_as_in_paper() {
  auto tables = lspiro_paper_tables();
  for (LspiroTable& table : tables)
    for (LspiroRow& row : table.rows)
      for (LspiroCell& cell : row.cells) {
        const double us = 1000 * cell.paper_ms;
        cell.time = {.min_us = us, .median_us = us, .max_us = us, .rounds = kRounds};
      }
  return tables;
}

DeviceInfo gpu() {
  DeviceInfo info;
  info.is_gpu = true;
  return info;
}

LspiroTable table(int number) { return measured_as_in_paper()[static_cast<size_t>(number - 2)]; }

size_t longest_line(const std::string& text) {
  std::istringstream in(text);
  size_t longest = 0;
  for (std::string line; std::getline(in, line);) longest = std::max(longest, line.size());
  return longest;
}

}  // namespace

TEST_CASE("the paper's own figures confirm its findings") {
  for (LspiroTable& t : measured_as_in_paper()) {
    judge(t, gpu());
    CHECK(t.margin == doctest::Approx(0.01));
    CHECK(same_shape(t));
    for (const LspiroFinding& f : t.findings) {
      CHECK(f.verdict == Verdict::as_in_paper);
      REQUIRE(f.here.size() == f.paper.size());
      for (size_t i = 0; i < f.here.size(); ++i) CHECK(f.here[i] == doctest::Approx(f.paper[i]));
    }
  }
  LspiroTable groups = table(3);
  judge(groups, gpu());
  REQUIRE(groups.findings.size() == 3);
  CHECK(groups.findings[0].paper.at(0) == doctest::Approx(13.36 / 4.197));  // 1 block against 10, the paper's best
  CHECK(groups.findings[2].paper.size() == 7);                              // 2 to 16 blocks
  CHECK(groups.findings[2].paper.at(0) == doctest::Approx(10.11 / 6.549));
}

TEST_CASE("findings that differ from the paper's are recognised") {
  LspiroTable reverse = table(2);
  std::swap(reverse.rows[0].cells, reverse.rows[1].cells);
  judge(reverse, gpu());
  CHECK(reverse.findings[0].verdict == Verdict::reverse);
  CHECK_FALSE(same_shape(reverse));
  CHECK(reverse.findings[0].reason.empty());  // no reason is known for a GPU
  judge(reverse, DeviceInfo{});
  CHECK_FALSE(reverse.findings[0].reason.empty());

  LspiroTable equal = table(2);
  equal.rows[0].cells = equal.rows[1].cells;
  judge(equal, gpu());
  CHECK(equal.findings[0].verdict == Verdict::no_difference);
  equal.rows[0].cells[1].time.median_us *= 2;
  equal.rows[0].cells[1].time.min_us *= 2;
  judge(equal, gpu());
  CHECK(equal.findings[0].verdict == Verdict::mixed);
}

TEST_CASE("noise widens the margin, and so do few rounds") {
  LspiroTable noisy = table(4);
  noisy.rows[1].cells[0].time.min_us /= 1.2;  // the median lies 20 % above the best round
  judge(noisy, gpu());
  CHECK(noisy.margin == doctest::Approx(0.1));
  CHECK(noisy.findings[0].verdict == Verdict::no_difference);  // 5.6 % in the paper
  LspiroTable hasty = table(4);
  hasty.rows[1].cells[0].time.rounds = 4;
  judge(hasty, gpu());
  CHECK(hasty.margin == doctest::Approx(0.25));
}

TEST_CASE("a missing figure is reported with the reason, and does not count in the verdict") {
  LspiroTable t = table(4);
  t.rows[4].cells[0] = {.paper_ms = 4.813, .why_not = "no such option"};
  t.rows[3].cells[0].wrong_blocks = 12;
  judge(t, gpu());
  CHECK(t.findings[3].verdict == Verdict::not_measured);
  CHECK(same_shape(t));
  const std::string text = lspiro_text({t});
  CAPTURE(text);
  CHECK(text.find("fewer registers: no such option\n") != std::string::npos);
  CHECK(text.find("relaxed maths: 12 blocks differ from the reference\n") != std::string::npos);
  CHECK(text.find("Shape as in the paper: yes") != std::string::npos);
}

TEST_CASE("tables are at most 120 characters wide") {
  auto tables = measured_as_in_paper();
  std::swap(tables[1].rows[0].cells, tables[1].rows[1].cells);
  for (LspiroTable& t : tables) judge(t, DeviceInfo{});
  CHECK(longest_line(lspiro_text(tables)) <= 120);
}
