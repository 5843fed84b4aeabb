// lspiro.h — tables 2, 3 and 4 of I. Perminov, "Online compression of visual data on GPU", repeated on a device,
// with the paper's own figures (GeForce GTX 560) beside it, and whether they tell the same.
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
  double paper_ms = 0;    // 0: the paper has no such figure
  std::string why_not{};  // not measured: one line
  int wrong_blocks = 0;   // blocks that differ from codec/ref's
};

struct LspiroRow {
  std::string name;
  std::vector<LspiroCell> cells;  // one a column
};

// One thing that a table of the paper shows, and whether it is so here. A ratio is the time of the first thing named
// over that of the second: above 1 the second is faster.
struct LspiroFinding {
  enum class Verdict { as_in_paper, no_difference, reverse, mixed, not_measured };
  std::string claim;
  std::vector<double> here, paper;  // ratios
  Verdict verdict = Verdict::not_measured;
  std::string reason{};  // where the verdict is another and the reason is known
};

struct LspiroTable {
  int number = 0;  // the paper's
  std::string title;
  std::string across;  // what the columns are
  std::vector<std::string> columns;
  std::vector<LspiroRow> rows;
  double margin = 0;  // ratios nearer to 1 than this are no difference: 0.02 is 2 %
  std::vector<LspiroFinding> findings{};
};

struct LspiroRunSettings {
  tuner::TimingSettings timing{.rounds = 30, .warm_up = 1, .budget = std::chrono::seconds(2)};
  int shrink = 1;  // frames are so many times narrower and lower than the paper's: for tests
};

// Measures the three tables. `progress` is told what is going on. Throws Error{no_device} when the device has no room
// for a frame of 1920x1200.
std::vector<LspiroTable> repeat_lspiro_tables(const ocl::Device& device, const LspiroRunSettings& settings,
                                              const Progress& progress = {});

// The three tables with the paper's figures, nothing measured.
std::vector<LspiroTable> lspiro_paper_tables();
// Fills margin and findings from the times; repeat_lspiro_tables has done it. The margin is half of the most that a
// median lies above the best round of its figure, and at least 1 %; at least 25 % where a figure has less than five
// rounds, from which no spread can be told.
void judge(LspiroTable& table, const DeviceInfo& device);
// Whether all that was measured is as in the paper.
bool same_shape(const LspiroTable& table);
const char* name(LspiroFinding::Verdict verdict);

// For a person: lines of at most 120 characters, each ended; below each table whether its shape is the paper's.
std::string lspiro_text(const std::vector<LspiroTable>& tables);
Json lspiro_json(const std::vector<LspiroTable>& tables);

}  // namespace texcast::bench
