// farm.cpp — `texcast farm`: encodes on many machines, by Slurm or GNU parallel.
#include <fmt/core.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/log.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "farm/farm_plan.h"
#include "farm/farm_progress.h"
#include "farm/farm_verify.h"
#include "farm/follow.h"
#include "farm/parallel.h"
#include "farm/slurm.h"
#include "farm/store.h"
#include "media/join.h"
#include "media/new_file.h"
#include "texcast/error.h"
#include "text/figures.h"
#include "text/json_text.h"
#include "text/verbosity.h"

namespace texcast::cli {
namespace {

std::vector<std::string> words_of(const std::vector<std::string>& texts) {
  std::vector<std::string> words;
  for (const std::string& text : texts) {
    std::istringstream stream(text);
    for (std::string word; stream >> word;) words.push_back(word);
  }
  return words;
}

// `retries`: of GNU parallel, which repeats tasks by itself.
std::unique_ptr<farm::Engine> make_engine(const FarmOptions& o, const farm::WorkFolder& folder, int retries) {
  if (o.slurm) return std::make_unique<farm::Slurm>(folder, words_of(o.slurm_options), &interrupt_flag());
  auto hosts = farm::parse_hosts(o.parallel);
  if (!hosts) throw Error(ErrorKind::usage, fmt::format("--parallel: {}", hosts.error().message));
  return std::make_unique<farm::Parallel>(folder, std::move(*hosts), retries);
}

// If there is no such engine here, a new folder does not stay.
std::unique_ptr<farm::Engine> engine_of(const FarmOptions& o, farm::WorkFolder& folder, bool is_new) {
  try {
    return make_engine(o, folder, o.retries);
  } catch (const Error&) {
    if (is_new) folder.remove();
    throw;
  }
}

// An absolute path: tasks may begin in another folder.
std::string work_folder(const FarmOptions& o) {
  const auto without_slash = [](std::string path) {
    while (path.size() > 1 && path.back() == '/') path.pop_back();
    return path;
  };
  const std::string output = o.encode.to.empty() ? o.encode.output : o.encode.to;
  const std::string path = o.work.empty() ? without_slash(output) + ".farm" : o.work;
  return without_slash(std::filesystem::absolute(path).lexically_normal().string());
}

farm::FollowReport follow_tasks(const FarmOptions& o, const FarmPlan& plan, const farm::WorkFolder& folder,
                                farm::Engine& engine) {
  return follow_shown({.doing = "encoding",
                       .count = plan.tasks,
                       .retries = o.retries,
                       .has_results = [&](int task) { return plan.has_results(task); }},
                      folder, engine);
}

// For the report.
struct FarmResult {
  farm::FollowReport tasks;
  size_t verified = 0;  // jobs that were encoded again, with the same result
  std::optional<media::JoinReport> joined;
  double seconds = 0;
};

void print_json(const FarmOptions& o, const FarmPlan& plan, const farm::Engine& engine, const FarmResult& r) {
  Json json = Json::object({{"engine", engine.name()},
                            {"tasks", plan.tasks},
                            {"done", r.tasks.done},
                            {"found", r.tasks.found},
                            {"repeated", r.tasks.repeated},
                            {"verified", r.verified},
                            {"failures", r.tasks.failures},
                            {"seconds", r.seconds}});
  json["output"] = r.joined ? r.joined->output : o.encode.to.empty() ? o.encode.output : o.encode.to;
  if (r.joined) json["frames"] = r.joined->frames;
  if (r.joined) json["file_bytes"] = r.joined->bytes;
  fmt::print("{}\n", json.text(2));
}

void print_report(const FarmPlan& plan, const farm::Engine& engine, const FarmResult& r) {
  const std::string handle = engine.handle();
  std::string how = fmt::format("{} by {}{}", plural(static_cast<uint64_t>(r.tasks.done), "task"), engine.name(),
                                handle.empty() ? "" : ", " + handle);
  if (r.tasks.found > 0) how += fmt::format(", {} found in the work folder", r.tasks.found);
  if (r.tasks.repeated > 0) how += fmt::format(", {} repeated", r.tasks.repeated);
  print_row("encoded", how);
  if (!r.tasks.failures.empty())
    print_row("failed", fmt::format("{} of {} tasks, as said above", r.tasks.failures.size(), plan.tasks));
  if (r.verified > 0)
    print_row("verified", fmt::format("{} encoded again, with the same result", plural(r.verified, "job")));
  print_row("time", fmt::format("{:.2f} s", r.seconds));
  if (!r.joined) return;
  print_row("joined", fmt::format("{}, {:.2f} s", plural(static_cast<uint64_t>(r.joined->frames), "frame"),
                                  in_seconds(r.joined->duration)));
  print_row("file", fmt::format("{}, {}", r.joined->output, file_size(r.joined->bytes)));
}

media::JoinReport join(const FarmOptions& o, const FarmPlan& plan) {
  std::vector<std::string> parts;
  for (const farm::ManifestJob& job : plan.manifest.jobs) parts.push_back(job.output);
  return media::join_parts(
      {.parts = parts, .output = o.encode.output, .if_exists = o.encode.if_exists, .stop = &interrupt_flag()});
}

// Gives the results their names, where a task that was killed has not done so.
void deliver(const FarmOptions& o, const FarmPlan& plan) {
  for (const farm::ManifestJob& job : plan.manifest.jobs)
    farm::deliver(plan.stored(job), job.output, o.encode.if_exists);
}

// Before the work, for outputs that are not results of an earlier run in this folder.
void refuse_existing(const FarmOptions& o, const FarmPlan& plan) {
  if (o.encode.if_exists != IfExists::refuse) return;
  if (plan.is_video && media::is_taken(o.encode.output)) media::throw_name_taken(o.encode.output);
  for (const farm::ManifestJob& job : plan.manifest.jobs)
    if (media::is_taken(job.output) &&
        !(media::is_taken(plan.stored(job)) && farm::same_content(plan.stored(job), job.output)))
      media::throw_name_taken(job.output);
}

void name_hosts(const std::vector<VerifyTask>& tasks, const farm::WorkFolder& verify) {
  for (int number = 1; number <= static_cast<int>(tasks.size()); ++number)
    if (verify.exit_status(number) != 0)
      log_error("task {} ran on '{}' after '{}'", number, verify.host(number),
                tasks[static_cast<size_t>(number - 1)].host);
}

// Returns the number of jobs that were encoded again. Throws Error{failed}.
size_t verify(const FarmOptions& o, const FarmPlan& plan, const farm::WorkFolder& folder) {
  const std::vector<VerifyTask> tasks = verify_tasks(plan, o.encode.verify_share.value_or(0), folder);
  if (tasks.empty()) return 0;
  const std::string path = folder.file("verify");
  std::error_code error;
  std::filesystem::remove_all(path, error);  // of a run that did not end
  if (error) throw Error(ErrorKind::failed, fmt::format("cannot remove '{}': {}", path, error.message()));
  const farm::WorkFolder verify(path);
  const auto engine = make_engine(o, verify, 0);  // another attempt would hide a difference
  write_verify_tasks(o, plan, tasks, verify);
  const farm::FollowReport report = follow_verify_tasks(o, tasks, verify, *engine);
  if (report.stopped) throw Error(ErrorKind::failed, "interrupted while it encoded a share again");
  if (!report.failures.empty()) {
    name_hosts(tasks, verify);
    throw Error(ErrorKind::failed, fmt::format("{} of {} tasks that encode again failed; the results stay in '{}' "
                                               "(messages: {})",
                                               report.failures.size(), tasks.size(), plan.store, verify.file("logs")));
  }
  size_t jobs = 0;
  for (const VerifyTask& task : tasks) jobs += task.jobs.size();
  return jobs;
}

}  // namespace

int run_farm(const FarmOptions& o) {
  const SteadyTime begun = steady_now();
  const std::string work = work_folder(o);
  const FarmPlan plan = farm_plan(o, work);
  refuse_existing(o, plan);
  const bool is_new = !std::filesystem::exists(work);
  farm::WorkFolder folder(work);
  const auto engine = engine_of(o, folder, is_new);
  const std::string manifest = folder.file("jobs.json");
  farm::write_manifest(manifest, plan.manifest, true);
  folder.write_script(farm_command(o, plan, manifest));
  FarmResult result{.tasks = follow_tasks(o, plan, folder, *engine), .joined = {}};
  if (result.tasks.stopped) {
    tell_interruption(fmt::format("after {} of {} tasks; the others are cancelled, and the same command resumes",
                                  result.tasks.done, plan.tasks));
    return static_cast<int>(ErrorKind::failed);
  }
  const bool good = result.tasks.failures.empty();
  if (good) result.verified = verify(o, plan, folder);
  if (good) deliver(o, plan);
  if (good && plan.is_video) result.joined = join(o, plan);
  result.seconds = in_seconds(steady_now() - begun);
  if (o.encode.json)
    print_json(o, plan, *engine, result);
  else if (reports())
    print_report(plan, *engine, result);
  if (!good)
    throw Error(ErrorKind::failed, fmt::format("{} of {} tasks failed; the same command repeats only these (messages: "
                                               "{})",
                                               result.tasks.failures.size(), plan.tasks, folder.file("logs")));
  if (o.work.empty()) folder.remove();
  return 0;
}

}  // namespace texcast::cli
