#include "lspiro_trials.h"

#include <array>

#include "base/ensure.h"

namespace texcast::bench {
namespace {

using Variant = stages::LspiroVariant;

constexpr std::array kBlocksAGroup = {1, 2, 4, 6, 8, 10, 12, 16};

FrameFormat rgba(int width, int height) {
  return {PixelFormat::rgba, width, height, {ColorMatrix::bt709, ColorRange::full}};
}

stages::StageSettings lspiro(const FrameFormat& source, int blocks_a_group, const Variant& variant) {
  return {.source = source,
          .method = Method::lspiro1,
          .form = stages::Form::group,
          .blocks_per_group = blocks_a_group,
          .lspiro = variant};
}

// The paper's program as it was before the improvements of its sections 3.3 and 3.4: step 1 as a kernel of its own,
// ranks in a loop a channel, single precision.
constexpr Variant kStep1 = {.layout = Variant::Layout::natural,
                            .channels = Variant::Channels::in_turn,
                            .kernels = Variant::Kernels::ends_only,
                            .line_in_floats = true};

std::vector<LspiroTrial> sorts(int shrink) {
  std::vector<LspiroTrial> trials;
  constexpr std::array kPictures = {LspiroPicture::smooth, LspiroPicture::few_values, LspiroPicture::many_values};
  for (size_t row = 0; row < 2; ++row)
    for (size_t column = 0; column < kPictures.size(); ++column) {
      Variant variant = kStep1;
      variant.sort = row == 0 ? Variant::Sort::insertion : Variant::Sort::rank;
      trials.push_back({row, column, kPictures[column], lspiro(rgba(512 / shrink, 512 / shrink), 1, variant)});
    }
  return trials;
}

std::vector<LspiroTrial> groups_and_layouts(int shrink) {
  std::vector<LspiroTrial> trials;
  for (size_t row = 0; row < 2; ++row)
    for (size_t column = 0; column < kBlocksAGroup.size(); ++column) {
      Variant variant = kStep1;
      variant.layout = row == 0 ? Variant::Layout::natural : Variant::Layout::conflict_free;
      trials.push_back({row, column, LspiroPicture::sample,
                        lspiro(rgba(1920 / shrink, 1200 / shrink), kBlocksAGroup[column], variant)});
    }
  return trials;
}

// Each row keeps what the row above has gained.
std::vector<LspiroTrial> improvements(int shrink) {
  std::vector<LspiroTrial> trials;
  size_t row = 0;
  Variant variant = kStep1;
  const auto add = [&] {
    trials.push_back({row, 0, LspiroPicture::sample, lspiro(rgba(1920 / shrink, 1200 / shrink), 10, variant)});
  };
  variant.layout = Variant::Layout::conflict_free;
  variant.kernels = Variant::Kernels::separate;
  add();
  ++row;
  variant.kernels = Variant::Kernels::merged;
  add();
  ++row;
  variant.channels = Variant::Channels::together;
  add();
  ++row;
  variant.relaxed_math = true;
  add();
  ++row;
  for (const int registers : {40, 32, 24}) {
    variant.max_registers = registers;
    add();
  }
  return trials;
}

}  // namespace

std::vector<LspiroTrial> lspiro_trials(int table_number, int shrink) {
  if (table_number == 2) return sorts(shrink);
  if (table_number == 3) return groups_and_layouts(shrink);
  ENSURE(table_number == 4);
  return improvements(shrink);
}

std::vector<LspiroTable> lspiro_paper_tables() {
  const auto row = [](const char* name, const std::vector<double>& paper_ms) {
    LspiroRow made{name, {}};
    for (const double ms : paper_ms) made.cells.push_back({.paper_ms = ms});
    return made;
  };
  return {
      {.number = 2,
       .title = "Step 1 by method of sorting; 512x512 drawn pictures, 1 block a group, natural layout",
       .across = "picture",
       .columns = {"smooth", "few values", "many values"},
       .rows = {row("insertion sort", {6.4, 5.2, 8.6}), row("rank sort", {1.9, 1.9, 2.1})}},
      {.number = 3,
       .title = "Step 1 by blocks a group and layout of local memory; 1920x1200, rank sort",
       .across = "blocks a group",
       .columns = {"1", "2", "4", "6", "8", "10", "12", "16"},
       .rows = {row("natural layout", {13.36, 10.11, 6.074, 4.697, 4.535, 4.197, 4.335, 4.211}),
                row("conflict-free layout", {12.7, 6.549, 4.007, 3.002, 3.001, 2.589, 2.84, 2.699})}},
      {.number = 4,
       .title = "Step 1 and packing, each row with what the rows above gained; 1920x1200, 10 blocks a group",
       .across = "",
       .columns = {"whole"},
       .rows = {row("two kernels, end points through memory", {5.826}), row("one kernel", {5.517}),
                row("ranks of all channels in one loop", {5.185}), row("relaxed maths", {5.12}),
                row("fewer registers", {4.813})}},
  };
}

}  // namespace texcast::bench
