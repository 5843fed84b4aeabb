// tune.h — the forms of a kernel timed on a device, and the fastest of them.
//
// Example, the whole of it for a user of kernels:
//     auto stage = stages::make_stage(device, tuner::choose(device, settings, TuneMode::automatic));
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ocl/device.h"
#include "texcast/tune.h"
#include "tuner/timing.h"
#include "tuner/tuning.h"

namespace texcast::tuner {

struct Row {
  Tuning tuning;
  Spread time;           // zero where it was left out
  std::string left_out;  // why, one line: it does not build or run there, or there was no time left
};

struct Table {
  std::vector<Row> rows;  // in the order of candidates()
  Tuning winner;          // the smallest median; the first candidate where nothing ran
  int height = 0;         // of the frames timed: the real one, or less where a frame takes too long for the budget
};

// Makes the run that times one form: a stage built, with buffers to work on. May throw Error: the form is left out.
using MakeRun = std::function<Run(const stages::StageSettings&)>;
// Runs on a sample frame on the device.
MakeRun runs_on(const ocl::Device& device);

// As `bench --tune` has it: every form, however long that takes within reason.
constexpr nanoseconds kThoroughBudget = std::chrono::seconds(60);

struct TuneSettings {
  Extent extent = Extent::likely;
  // For all of it, compilers included. The first candidate is always tried, and one that has begun is seen through.
  nanoseconds budget = std::chrono::seconds(2);
};

Table tune(const ocl::Device& device, const stages::StageSettings& settings, const TuneSettings& how,
           const MakeRun& make_run);

// What is remembered of earlier runs, for one device, driver, set of kernel sources, method, texture, source format and
// size; in the folder of the built programs (ocl/cache.h). A file that is not as it was written is none.
std::optional<Tuning> remembered(const ocl::Device& device, const stages::StageSettings& settings);
void remember(const ocl::Device& device, const stages::StageSettings& settings, const Tuning& winner);

// `settings` in the form that `mode` says, tuned first where that is needed, which a line of the log tells.
// `make_run`: as runs_on gives it where there is none.
stages::StageSettings choose(const ocl::Device& device, const stages::StageSettings& settings, TuneMode mode,
                             const MakeRun& make_run = nullptr);

// Whether choose() would time forms first, and not answer at once.
bool times_forms(const ocl::Device& device, const stages::StageSettings& settings, TuneMode mode);

// Every form within kThoroughBudget; the winner is remembered.
Table tune_thoroughly(const ocl::Device& device, const stages::StageSettings& settings, const MakeRun& make_run);
// The kernels behind the qualities of every texture, for frames of `source`, whose "bc1 refine-once" has `only` in it.
std::vector<stages::StageSettings> quality_kernels(const FrameFormat& source, const std::string& only);

// "bc1 refine-once from nv12 3840x2160": what is tuned, for a person.
std::string subject(const stages::StageSettings& settings);
// The table as lines of text, fastest first.
std::string text(const Table& table, const stages::StageSettings& settings);

}  // namespace texcast::tuner
