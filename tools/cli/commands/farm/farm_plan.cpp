#include "farm/farm_plan.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/log.h"
#include "farm/program.h"
#include "files/encode_video.h"
#include "files/list_jobs.h"
#include "media/files.h"
#include "texcast/error.h"

namespace texcast::cli {
namespace {

namespace fs = std::filesystem;

int wanted_tasks(const FarmOptions& o) { return static_cast<int>(o.tasks.value_or(FarmOptions::kUsualTasks)); }

// The jobs of the parts of a video, whose number of tasks is at most the wanted one.
std::vector<EncodeJob> parts_of_video(const FarmOptions& o, const std::string& folder) {
  EncodeOptions encode = o.encode;
  const int wanted = wanted_tasks(o);
  encode.parts = possible_parts(encode, wanted);
  if (*encode.parts < wanted && o.tasks) log_info("{} tasks: the video cannot be cut into more parts", *encode.parts);
  encode.output = folder + "/store/part" + fs::path(o.encode.output).extension().string();
  return list_jobs(encode);
}

std::string this_program() {
  std::error_code error;
  const fs::path path = fs::read_symlink("/proc/self/exe", error);
  if (error) throw Error(ErrorKind::failed, fmt::format("cannot find the path of texcast: {}", error.message()));
  return path.string();
}

}  // namespace

std::vector<farm::ManifestJob> FarmPlan::jobs_of(int task) const {
  return farm::jobs_of_share(manifest.jobs, {.number = task, .count = tasks});
}

FarmPlan farm_plan(const FarmOptions& o, const std::string& folder) {
  const bool is_video = o.encode.to.empty() && !media::still_kind(o.encode.output);
  FarmPlan plan;
  for (const EncodeJob& job : is_video ? parts_of_video(o, folder) : list_jobs(o.encode)) {
    plan.manifest.jobs.push_back(manifest_job(job));
    farm::ManifestJob& made = plan.manifest.jobs.back();
    if (is_video) continue;
    plan.outputs.push_back(made.output);
    made.output = fmt::format("{}/store/{}{}", folder, plan.outputs.size(), fs::path(made.output).extension().string());
  }
  plan.tasks =
      std::min(is_video ? FarmOptions::kMostTasks : wanted_tasks(o), static_cast<int>(plan.manifest.jobs.size()));
  return plan;
}

std::string farm_command(const FarmOptions& o, const FarmPlan& plan, const std::string& folder) {
  const EncodeOptions& run = o.encode;
  std::vector<std::string> words = {o.program.empty() ? this_program() : o.program, "-q", "--no-config", "encode"};
  words.push_back("--manifest=" + folder + "/jobs.json");
  if (!run.encoding.device.empty()) words.push_back("--device=" + run.encoding.device);
  if (run.encoding.tune) words.push_back(fmt::format("--tune={}", name(*run.encoding.tune)));
  if (run.jobs) words.push_back(fmt::format("--jobs={}", *run.jobs));
  std::string line;
  for (const std::string& word : words) line += farm::shell_word(word) + " ";
  return line + fmt::format("--if-newer --part=$task/{}", plan.tasks);
}

}  // namespace texcast::cli
