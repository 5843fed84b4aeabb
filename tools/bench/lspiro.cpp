#include "bench/lspiro.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <memory>
#include <random>

#include "base/ensure.h"
#include "ref/encode.h"
#include "tuner/sample_frame.h"

namespace texcast::bench {
namespace {

// The pictures that the tables are measured with, as the paper's own are not known. They differ in the number of
// distinct values of a channel in a block, on which the time of an insertion sort depends.
enum class LspiroPicture {
  smooth,       // gradients with a little noise: a handful of values
  few_values,   // flat areas and hard edges, as in drawings and text: two or three
  many_values,  // noise: nearly all 16
  sample,       // tuner::fill_sample()
};

int value_of(LspiroPicture picture, int x, int y, int channel, std::mt19937& random) {
  switch (picture) {
    case LspiroPicture::smooth: return (x * (channel + 2) + y * (4 - channel)) / 2 + static_cast<int>(random() % 8);
    case LspiroPicture::few_values: {
      const bool ink = (x * 5 + y * 3) % 11 < 4;
      return ink ? 20 + 10 * channel : 255 - 24 * ((x / 64 + y / 48 + channel) % 4);
    }
    case LspiroPicture::many_values: return static_cast<int>(random());
    case LspiroPicture::sample: break;  // tuner::fill_sample() draws it
  }
  return 0;
}

// An RGBA frame, placed as stages::place_source() does.
std::vector<std::byte> draw(LspiroPicture picture, const FrameFormat& format) {
  const stages::SourcePlacement placed = stages::place_source(format);
  std::vector<std::byte> bytes(placed.bytes);
  if (picture == LspiroPicture::sample) {
    tuner::fill_sample(format, bytes);
    return bytes;
  }
  std::mt19937 random(1);
  for (int y = 0; y < format.height; ++y)
    for (int x = 0; x < format.width; ++x)
      for (int c = 0; c < 4; ++c) {
        const auto at = static_cast<size_t>(placed.offset[0] + y * placed.stride[0] + 4 * x + c);
        bytes[at] = static_cast<std::byte>(value_of(picture, x, y, c, random) & 255);
      }
  return bytes;
}

// Measures one figure of the paper's tables.
struct LspiroTrial {
  size_t row, column;
  LspiroPicture picture;
  stages::StageSettings settings;  // the source format is the same for a whole table
};

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

// The paper's program before the improvements of its sections 3.3 and 3.4: step 1 in a separate kernel, a loop per
// channel for the ranks, single precision.
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

// Each row includes the improvements of the rows above.
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

// The trials of a table of lspiro_paper_tables(). The last row of table 4 has several trials, of which the fastest
// counts, as the paper does not say what its register limit was.
std::vector<LspiroTrial> lspiro_trials(int table_number, int shrink) {
  if (table_number == 2) return sorts(shrink);
  if (table_number == 3) return groups_and_layouts(shrink);
  ENSURE(table_number == 4);
  return improvements(shrink);
}

constexpr size_t kBlockBytes = 8;
using Kernels = stages::LspiroVariant::Kernels;

// A picture on the device, and the blocks that encoding it must give.
struct OnDevice {
  cl::Buffer frame;
  std::vector<std::byte> expected;
};

OnDevice upload(const ocl::Device& device, LspiroPicture picture, const FrameFormat& format) {
  const stages::SourcePlacement placed = stages::place_source(format);
  std::vector<std::byte> bytes = draw(picture, format);
  OnDevice made;
  made.frame = {device.context(), CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, bytes.size(), bytes.data()};
  made.expected.resize(texture_layout(TextureFormat::bc1, format.width, format.height).total_bytes);
  const FrameView view{format, {PlaneView{bytes.data() + placed.offset[0], placed.stride[0]}, {}, {}}};
  ref::encode(view, TextureFormat::bc1, Method::lspiro1, made.expected);
  return made;
}

// A trial that the device can run.
struct TrialRunner {
  size_t trial;
  std::unique_ptr<stages::Stage> stage;
  const OnDevice* picture;
};

class TableRun {
 public:
  TableRun(const ocl::Device& device, const LspiroTable& table, int shrink, const Progress& progress)
      : device_(device),
        trials_(lspiro_trials(table.number, shrink)),
        cells_(trials_.size()),
        queue_(device.make_queue()),
        what_(fmt::format("table {}", table.number)),
        progress_(progress) {
    const FrameFormat& format = trials_.front().settings.source;
    blocks_ = {device.context(), CL_MEM_READ_WRITE,
               texture_layout(TextureFormat::bc1, format.width, format.height).total_bytes};
    for (size_t i = 0; i < trials_.size(); ++i) build(i);
  }

  void time(const tuner::TimingSettings& settings) {
    tell(fmt::format("{}: timing", what_));
    std::vector<tuner::Run> runs;
    for (const TrialRunner& r : runners_)
      runs.push_back(tuner::on_device([&] {
        const cl::Event last = r.stage->enqueue(queue_, r.picture->frame, blocks_, {});
        return tuner::Commands{r.stage->first_command(), last};
      }));
    const std::vector<tuner::Spread> spreads = tuner::time_in_turns(runs, settings);
    for (size_t i = 0; i < runners_.size(); ++i) cells_[runners_[i].trial].time = spreads[i];
  }

  void compare_bytes() {
    tell(fmt::format("{}: comparing with the reference", what_));
    for (const TrialRunner& r : runners_) cells_[r.trial].wrong_blocks = wrong_blocks(r);
  }

  // Fills in the table. If several trials measure the same figure, the fastest counts, and the row gets its name.
  void put_into(LspiroTable& table) const {
    for (size_t i = 0; i < trials_.size(); ++i) {
      LspiroRow& row = table.rows[trials_[i].row];
      LspiroCell& cell = row.cells[trials_[i].column];
      const int wrong = std::max(cell.wrong_blocks, cells_[i].wrong_blocks);
      const bool measured = cells_[i].time.rounds > 0;
      const bool beaten = cell.time.rounds > 0 && (!measured || cell.time.median_us <= cells_[i].time.median_us);
      if (!beaten) {
        const double paper_ms = cell.paper_ms;
        cell = cells_[i];
        cell.paper_ms = paper_ms;
      }
      cell.wrong_blocks = wrong;
      if (beaten) continue;
      if (const int n = trials_[i].settings.lspiro.max_registers; n > 0 && measured)
        row.name = fmt::format("at most {} registers (best of 40, 32, 24)", n);
    }
  }

 private:
  void tell(const std::string& text) {
    if (progress_) progress_(text);
  }

  void build(size_t i) {
    const LspiroTrial& trial = trials_[i];
    tell(fmt::format("{}: building {} of {}", what_, i + 1, trials_.size()));
    if (trial.settings.lspiro.max_registers > 0 && !stages::limits_registers(device_)) {
      cells_[i].why_not = "this device's compiler takes no limit (no cl_nv_compiler_options)";
      return;
    }
    if (!pictures_.contains(trial.picture))
      pictures_.emplace(trial.picture, upload(device_, trial.picture, trial.settings.source));
    try {
      TrialRunner runner{i, stages::make_stage(device_, trial.settings), &pictures_.at(trial.picture)};
      runner.stage->enqueue(queue_, runner.picture->frame, blocks_, {}).wait();
      runners_.push_back(std::move(runner));
    } catch (const Error& error) {
      cells_[i].why_not = error.what();
    } catch (const cl::Error& error) {
      cells_[i].why_not = ocl::device_error(error, device_.info()).what();
    }
  }

  int wrong_blocks(const TrialRunner& r) {
    std::vector<std::byte> got(r.picture->expected.size(), std::byte{0xA5});
    queue_.enqueueWriteBuffer(blocks_, CL_TRUE, 0, got.size(), got.data());
    r.stage->enqueue(queue_, r.picture->frame, blocks_, {});
    stages::StageSettings rest = trials_[r.trial].settings;
    if (rest.lspiro.kernels == Kernels::ends_only) {
      rest.lspiro = {.kernels = Kernels::pack_only};
      rest.blocks_per_group = 8;  // any number would do; one number needs one build
      stages::make_stage(device_, rest)->enqueue(queue_, r.picture->frame, blocks_, {}).wait();
    }
    queue_.enqueueReadBuffer(blocks_, CL_TRUE, 0, got.size(), got.data());
    int wrong = 0;
    for (size_t at = 0; at < got.size(); at += kBlockBytes)
      wrong += std::memcmp(&got[at], &r.picture->expected[at], kBlockBytes) != 0;
    return wrong;
  }

  const ocl::Device& device_;
  std::vector<LspiroTrial> trials_;
  std::vector<LspiroCell> cells_;  // one per trial
  cl::CommandQueue queue_;
  std::string what_;
  const Progress& progress_;
  cl::Buffer blocks_;
  std::map<LspiroPicture, OnDevice> pictures_;
  std::vector<TrialRunner> runners_;
};

}  // namespace

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

std::vector<LspiroTable> repeat_lspiro_tables(const ocl::Device& device, const LspiroRunSettings& settings,
                                              const Progress& progress) {
  std::vector<LspiroTable> tables = lspiro_paper_tables();
  try {
    for (LspiroTable& table : tables) {
      TableRun run(device, table, settings.shrink, progress);
      run.time(settings.timing);
      run.compare_bytes();
      run.put_into(table);
      judge(table, device.info());
    }
  } catch (const cl::Error& error) {
    throw ocl::device_error(error, device.info());
  }
  return tables;
}

}  // namespace texcast::bench
