#include "farm/farm_plan.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "base/log.h"
#include "farm/program.h"
#include "files/encode_video.h"
#include "media/files.h"
#include "texcast/error.h"

namespace texcast::cli {
namespace {

namespace fs = std::filesystem;

FarmPlan plan_of_video(const FarmOptions& o, const farm::WorkFolder& folder) {
  const std::string& input = o.encode.input.input;
  if (media::is_read_once(input))
    throw Error(ErrorKind::usage, fmt::format("farm: every task reads the input, and '{}' can be read once", input));
  const auto wanted = static_cast<int>(o.tasks.value_or(FarmOptions::kUsualTasks));
  FarmPlan plan{.manifest = {}, .tasks = possible_parts(o.encode, wanted), .is_video = true};
  if (plan.tasks < wanted && o.tasks) log_info("{} tasks: the video has no more key frames to cut at", plan.tasks);
  const std::string extension = fs::path(o.encode.output).extension().string();
  for (int part = 1; part <= plan.tasks; ++part)
    plan.manifest.jobs.push_back({.input = input,
                                  .output = folder.file(fmt::format("store/part-{}{}", part, extension)),
                                  .options = o.encode_words,
                                  .part = farm::Share{.number = part, .count = plan.tasks},
                                  .id = {}});
  return plan;
}

std::string this_program() {
  std::error_code error;
  const fs::path path = fs::read_symlink("/proc/self/exe", error);
  if (error) throw Error(ErrorKind::failed, fmt::format("cannot find the path of texcast: {}", error.message()));
  return path.string();
}

}  // namespace

bool FarmPlan::has_results(int task) const {
  const auto jobs = farm::jobs_of_share(manifest.jobs, {.number = task, .count = tasks});
  std::error_code ignored;
  return std::ranges::all_of(jobs, [&](const farm::ManifestJob& job) { return fs::exists(job.output, ignored); });
}

FarmPlan farm_plan(const FarmOptions& o, const farm::WorkFolder& folder) { return plan_of_video(o, folder); }

std::string farm_command(const FarmOptions& o, const FarmPlan& plan, const farm::WorkFolder& folder) {
  const std::string program = farm::shell_word(o.program.empty() ? this_program() : o.program);
  const std::string extension = fs::path(plan.manifest.jobs.front().output).extension().string();
  const std::string store = farm::shell_word(folder.file("store/"));
  std::string words;
  for (const std::string& word : o.encode_words) words += " " + farm::shell_word(word);
  return fmt::format(
      "fresh={store}new-$task-$$.{extension} && {program} -q --no-config encode{words} --part=$task/{tasks} -- {input} "
      "$fresh && mv $fresh {store}part-$task.{extension}",
      fmt::arg("store", store), fmt::arg("extension", extension.substr(1)), fmt::arg("program", program),
      fmt::arg("words", words), fmt::arg("tasks", plan.tasks),
      fmt::arg("input", farm::shell_word(o.encode.input.input)));
}

}  // namespace texcast::cli
