#include "base/log.h"
#include "tuner/tune.h"

namespace texcast::tuner {
namespace {

constexpr nanoseconds kFirstUseBudget = std::chrono::seconds(2);

Tuning tuned(const ocl::Device& device, const stages::StageSettings& settings, const TuneSettings& how,
             const MakeRun& make_run) {
  const Table table = tune(device, settings, how, make_run ? make_run : runs_on(device));
  for (const Row& row : table.rows) {
    if (row.left_out.empty())
      log_debug("{:9.1f} us  {}", row.time.median_us, describe(row.tuning));
    else
      log_debug("left out: {}: {}", describe(row.tuning), row.left_out);
  }
  remember(device, settings, table.winner);
  return table.winner;
}

}  // namespace

Table tune_thoroughly(const ocl::Device& device, const stages::StageSettings& settings, const MakeRun& make_run) {
  Table table = tune(device, settings, {Extent::all, kThoroughBudget}, make_run);
  remember(device, settings, table.winner);
  return table;
}

std::vector<stages::StageSettings> quality_kernels(const FrameFormat& source, const std::string& only) {
  std::vector<stages::StageSettings> kernels;
  for (const TextureFormat texture : encoded_formats())
    for (const Quality quality : kQualities) {
      if (!has_quality(texture, quality)) continue;
      const Method method = method_for(texture, quality);
      const std::string kernel = std::string(name(texture)).append(" ").append(name(method));
      if (kernel.find(only) != std::string::npos)
        kernels.push_back({.source = source, .texture = texture, .method = method});
    }
  return kernels;
}

stages::StageSettings choose(const ocl::Device& device, const stages::StageSettings& settings, TuneMode mode,
                             const MakeRun& make_run) {
  const auto likely = candidates(device, settings, Extent::likely);
  if (mode == TuneMode::off) return with(settings, likely.front());
  Tuning winner = likely.front();
  if (mode == TuneMode::again) {
    log_info("timing all {} variants of {} on {}", candidates(device, settings, Extent::all).size(), subject(settings),
             device.info().name);
    winner = tuned(device, settings, {Extent::all, kThoroughBudget}, make_run);
  } else if (const auto known = remembered(device, settings)) {
    winner = *known;
  } else if (likely.size() > 1) {
    log_info("first use of {} on {}: timing {} variants, once", subject(settings), device.info().name, likely.size());
    winner = tuned(device, settings, {Extent::likely, kFirstUseBudget}, make_run);
  }
  log_debug("{} on {}: {}", subject(settings), device.info().name, describe(winner));
  return with(settings, winner);
}

bool times_forms(const ocl::Device& device, const stages::StageSettings& settings, TuneMode mode) {
  if (mode != TuneMode::automatic) return mode == TuneMode::again;
  return candidates(device, settings, Extent::likely).size() > 1 && !remembered(device, settings);
}

}  // namespace texcast::tuner
