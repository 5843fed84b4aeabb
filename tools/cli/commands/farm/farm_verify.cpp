#include "farm/farm_verify.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "farm/farm_progress.h"

namespace texcast::cli {
namespace {

std::string manifest_of_task(const farm::WorkFolder& verify, int task) {
  return verify.file(fmt::format("jobs-{}.json", task));
}

// The share, or the next larger one, by doubling, in which there is a job.
double least_share(const std::vector<farm::ManifestJob>& jobs, double share) {
  const auto is_in = [&](const farm::ManifestJob& job) { return farm::is_in_share(job.id, share); };
  if (share <= 0 || jobs.empty()) return share;
  while (share < 1 && std::ranges::none_of(jobs, is_in)) share *= 2;
  return share;
}

}  // namespace

std::vector<VerifyTask> verify_tasks(const FarmPlan& plan, double share, const farm::WorkFolder& folder) {
  share = least_share(plan.manifest.jobs, share);
  std::vector<VerifyTask> tasks;
  for (int number = 1; number <= plan.tasks; ++number) {
    VerifyTask task{.jobs = farm::items_of_share(plan.manifest.jobs, {.number = number, .count = plan.tasks}),
                    .host = folder.host(number)};
    std::erase_if(task.jobs, [&](const farm::ManifestJob& job) { return !farm::is_in_share(job.id, share); });
    for (farm::ManifestJob& job : task.jobs) job.verify = true;
    if (!task.jobs.empty()) tasks.push_back(std::move(task));
  }
  return tasks;
}

void write_verify_tasks(const FarmOptions& options, const FarmPlan& plan, const std::vector<VerifyTask>& tasks,
                        const farm::WorkFolder& verify) {
  for (size_t i = 0; i < tasks.size(); ++i)
    farm::write_manifest(manifest_of_task(verify, static_cast<int>(i) + 1),
                         {.version = plan.manifest.version, .jobs = tasks[i].jobs}, true);
  verify.write_script(verify_command(options, plan, verify.file("jobs-")));
}

farm::FollowReport follow_verify_tasks(const FarmOptions& options, const std::vector<VerifyTask>& tasks,
                                       const farm::WorkFolder& verify, farm::Engine& engine) {
  for (size_t i = 0; i < tasks.size(); ++i)
    if (!tasks[i].host.empty()) engine.avoid(static_cast<int>(i) + 1, tasks[i].host);
  return follow_shown({.doing = "verifying",
                       .count = static_cast<int>(tasks.size()),
                       .retries = options.retries,
                       .has_results = [&](int task) { return verify.exit_status(task) == 0; }},
                      verify, engine);
}

}  // namespace texcast::cli
