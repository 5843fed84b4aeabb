#include "bench/lspiro_tables.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>

#include "lspiro_trials.h"
#include "ref/encode.h"

namespace texcast::bench {
namespace {

constexpr size_t kBlockBytes = 8;
using Kernels = stages::LspiroVariant::Kernels;

// A picture on the device, and the blocks that it must give.
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

  // Of several trials in one place the fastest, and its name.
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
      rest.blocks_per_group = 8;  // any: one build for all
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
  std::vector<LspiroCell> cells_;  // one a trial
  cl::CommandQueue queue_;
  std::string what_;
  const Progress& progress_;
  cl::Buffer blocks_;
  std::map<LspiroPicture, OnDevice> pictures_;
  std::vector<TrialRunner> runners_;
};

}  // namespace

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
