// lspiro_trials.h — how each figure of the paper's tables is measured here.
#pragma once

#include <vector>

#include "bench/lspiro_tables.h"
#include "lspiro_pictures.h"

namespace texcast::bench {

struct LspiroTrial {
  size_t row, column;
  LspiroPicture picture;
  stages::StageSettings settings;  // all of a table have the same source format
};

// For a table of lspiro_paper_tables(). Table 4's last row stands for several trials, of which the fastest counts: the
// paper does not say what its limit was.
std::vector<LspiroTrial> lspiro_trials(int table_number, int shrink);

}  // namespace texcast::bench
