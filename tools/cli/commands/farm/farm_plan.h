// farm_plan.h — what the tasks of `texcast farm` encode.
#pragma once

#include <string>
#include <vector>

#include "cli/options.h"
#include "farm/manifest.h"

namespace texcast::cli {

struct FarmPlan {
  farm::Manifest manifest;             // its outputs are in the store of the work folder
  std::vector<std::string> outputs{};  // where the result of each job belongs; empty: they are parts of one video
  int tasks = 0;                       // task N has share N of this many of the jobs

  bool is_video() const { return outputs.empty(); }
  std::vector<farm::ManifestJob> jobs_of(int task) const;
};

// `folder`: the absolute path of the work folder, which need not exist. Checks the options as `encode` does. Throws
// Error{usage} or Error{input} for what a task would refuse.
FarmPlan farm_plan(const FarmOptions& options, const std::string& folder);

// The line of shell by which task $task encodes its share.
std::string farm_command(const FarmOptions& options, const FarmPlan& plan, const std::string& folder);

}  // namespace texcast::cli
