// lspiro.h — repeats tables 2, 3 and 4 of I. Perminov, "Online compression of visual data on GPU", on a device, and
// checks whether the paper's findings (GeForce GTX 560) hold there.
#pragma once

#include <string>
#include <vector>

#include "bench/kernels.h"
#include "ocl/device.h"
#include "text/json_text.h"
#include "tuner/timing.h"

namespace texcast::bench {

struct LspiroCell {
  tuner::Spread time{};   // no rounds: not measured
  double paper_ms = 0;    // 0: the paper does not give it
  std::string why_not{};  // one line: why it was not measured
  int wrong_blocks = 0;   // blocks that differ from codec/ref's
};

struct LspiroRow {
  std::string name;
  std::vector<LspiroCell> cells;  // one per column
};

// A claim that a table of the paper supports, and whether it holds here. A ratio is the time of the slower variant over
// that of the faster one, as the paper has them: below 1 the claim does not hold.
struct LspiroFinding {
  enum class Verdict { as_in_paper, no_difference, reverse, mixed, not_measured };
  std::string claim;
  std::vector<double> here, paper;  // ratios
  Verdict verdict = Verdict::not_measured;
  std::string reason{};  // why the verdict differs from the paper, if it is known
};

struct LspiroTable {
  int number = 0;  // in the paper
  std::string title;
  std::string across;  // title of the columns
  std::vector<std::string> columns;
  std::vector<LspiroRow> rows;
  double margin = 0;  // ratios closer to 1 than this count as no difference: 0.02 is 2 %
  std::vector<LspiroFinding> findings{};
};

struct LspiroRunSettings {
  tuner::TimingSettings timing{.rounds = 30, .warm_up = 1, .budget = std::chrono::seconds(2)};
  int shrink = 1;  // divides width and height of the paper's frames, for tests
};

// Measures the three tables. Throws Error{no_device} if the device has no memory for a frame of 1920x1200.
std::vector<LspiroTable> repeat_lspiro_tables(const ocl::Device& device, const LspiroRunSettings& settings,
                                              const Progress& progress = {});

// The three tables with the paper's figures only.
std::vector<LspiroTable> lspiro_paper_tables();
// Fills in `margin` and `findings` from the times, as repeat_lspiro_tables() has done. The margin is half of the
// largest difference between a figure's median and its best round, but at least 1 %. It is at least 25 % if a figure
// has fewer than five rounds, which do not show the spread.
void judge(LspiroTable& table, const DeviceInfo& device);
// Whether all measured findings are as in the paper.
bool same_shape(const LspiroTable& table);
const char* name(LspiroFinding::Verdict verdict);

// For people: lines of at most 120 characters, each with a line end. The findings follow each table.
std::string lspiro_text(const std::vector<LspiroTable>& tables);
Json lspiro_json(const std::vector<LspiroTable>& tables);

}  // namespace texcast::bench
