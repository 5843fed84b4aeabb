// farm_verify.h — encodes a share of a farm's jobs a second time, on other machines than the first time, and compares.
#pragma once

#include <string>
#include <vector>

#include "cli/options.h"
#include "farm/engine.h"
#include "farm/farm_plan.h"
#include "farm/follow.h"
#include "farm/work_folder.h"

namespace texcast::cli {

// The jobs of one task that encodes again.
struct VerifyTask {
  std::vector<farm::ManifestJob> jobs;
  std::string host;  // which encoded them first; empty: not known
};

// For each task of the plan that has jobs in this share (0 to 1). At least one job is verified, however small the
// share.
std::vector<VerifyTask> verify_tasks(const FarmPlan& plan, double share, const farm::WorkFolder& folder);

// Writes what the tasks do into the folder of their own, `verify`.
void write_verify_tasks(const FarmOptions& options, const FarmPlan& plan, const std::vector<VerifyTask>& tasks,
                        const farm::WorkFolder& verify);

// Runs the tasks, each on another host than its own if there is one. All results are in the store.
farm::FollowReport follow_verify_tasks(const FarmOptions& options, const std::vector<VerifyTask>& tasks,
                                       const farm::WorkFolder& verify, farm::Engine& engine);

}  // namespace texcast::cli
