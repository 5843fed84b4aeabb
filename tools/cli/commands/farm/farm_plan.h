// farm_plan.h — what the tasks of `texcast farm` encode.
#pragma once

#include <string>

#include "cli/options.h"
#include "farm/manifest.h"

namespace texcast::cli {

struct FarmPlan {
  farm::Manifest manifest;
  bool is_video = false;  // the jobs are the parts of one video
  int tasks = 0;          // task N has share N of this many of the jobs
  std::string store;      // folder of the results

  std::string stored(const farm::ManifestJob& job) const;  // the path of its result
  // Whether all results of a task are there.
  bool has_results(int task) const;
};

// `folder`: the absolute path of the work folder, which need not exist. Checks the options as `encode` does, and reads
// the inputs for the ids of their jobs. Throws Error{usage} or Error{input} for what a task would refuse.
FarmPlan farm_plan(const FarmOptions& options, const std::string& folder);

// The line of shell by which task $task encodes its share of the manifest.
std::string farm_command(const FarmOptions& options, const FarmPlan& plan, const std::string& manifest);
// The line by which task $task encodes again what the manifest `manifests` + "$task.json" lists.
std::string verify_command(const FarmOptions& options, const FarmPlan& plan, const std::string& manifests);

}  // namespace texcast::cli
