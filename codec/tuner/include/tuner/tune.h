// tune.h — times the variants of a kernel on a device, and finds the fastest.
//
// Example, complete for a user of kernels:
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
  Spread time;           // zero if it was left out
  std::string left_out;  // the reason, one line: it does not build or run there, or there was no time left
};

struct Table {
  std::vector<Row> rows;  // in the order of candidates()
  Tuning winner;          // the smallest median; the first candidate if nothing ran
  int height = 0;         // of the timed frames: the real one, or less if a frame takes too long for the budget
};

// Makes the run that times one variant: a built stage with its buffers. If it throws Error, the variant is left out.
using MakeRun = std::function<Run(const stages::StageSettings&)>;
// Runs on a sample frame on the device.
MakeRun runs_on(const ocl::Device& device);

// For `bench --tune`: every variant, as long as that takes within reason.
constexpr nanoseconds kThoroughBudget = std::chrono::seconds(60);

struct TuneSettings {
  Extent extent = Extent::likely;
  // For everything, compilers included. The first candidate is always tried, and one that has begun is completed.
  nanoseconds budget = std::chrono::seconds(2);
};

Table tune(const ocl::Device& device, const stages::StageSettings& settings, const TuneSettings& how,
           const MakeRun& make_run);

// The remembered result of earlier runs, for one device, driver, set of kernel sources, method, texture, source format
// and size. It is stored in the folder of the built programs (ocl/cache.h). A damaged file is ignored.
std::optional<Tuning> remembered(const ocl::Device& device, const stages::StageSettings& settings);
void remember(const ocl::Device& device, const stages::StageSettings& settings, const Tuning& winner);

// Returns `settings` with the variant that `mode` selects. It is tuned first if needed, which is logged. `make_run`
// defaults to runs_on().
stages::StageSettings choose(const ocl::Device& device, const stages::StageSettings& settings, TuneMode mode,
                             const MakeRun& make_run = nullptr);

// Whether choose() would first time variants instead of returning at once.
bool times_forms(const ocl::Device& device, const stages::StageSettings& settings, TuneMode mode);

// Times every variant within kThoroughBudget, and remembers the winner.
Table tune_thoroughly(const ocl::Device& device, const stages::StageSettings& settings, const MakeRun& make_run);
// The kernels of all qualities of every texture, for frames of `source`, limited to those whose "bc1 refine-once"
// contains `only`.
std::vector<stages::StageSettings> quality_kernels(const FrameFormat& source, const std::string& only);

// "bc1 refine-once from nv12 3840x2160": the subject of tuning, for a person.
std::string subject(const stages::StageSettings& settings);
// The table as lines of text, fastest first.
std::string text(const Table& table, const stages::StageSettings& settings);

}  // namespace texcast::tuner
