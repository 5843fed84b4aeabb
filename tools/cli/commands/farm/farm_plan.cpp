#include "farm/farm_plan.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/log.h"
#include "farm/program.h"
#include "files/encode_manifest.h"
#include "files/encode_video.h"
#include "files/job_identity.h"
#include "media/files.h"
#include "texcast/error.h"

namespace texcast::cli {
namespace {

namespace fs = std::filesystem;

int wanted_tasks(const FarmOptions& o) { return static_cast<int>(o.tasks.value_or(FarmOptions::kUsualTasks)); }

// The same options for a manifest of parts, of which there are at most as many as wanted.
EncodeOptions in_parts(EncodeOptions encode, int wanted, const std::string& folder) {
  if (const std::string& input = encode.input.input; !is_repeatable(input))
    throw Error(ErrorKind::usage,
                fmt::format("'{}' is no file that several machines could read: record it to a file first", input));
  encode.parts = possible_parts(encode, wanted);
  if (*encode.parts < wanted) log_info("{} tasks: the video cannot be cut into more parts", *encode.parts);
  encode.output = folder + "/parts/part" + media::lower_extension(encode.output);
  return encode;
}

std::string this_program() {
  std::error_code error;
  const fs::path path = fs::read_symlink("/proc/self/exe", error);
  if (error) throw Error(ErrorKind::failed, fmt::format("cannot find the path of texcast: {}", error.message()));
  return path.string();
}

}  // namespace

std::string FarmPlan::stored(const farm::ManifestJob& job) const {
  return store + "/" + job.id + media::lower_extension(job.output);
}

bool FarmPlan::has_results(int task) const {
  const auto jobs = farm::items_of_share(manifest.jobs, {.number = task, .count = tasks});
  std::error_code ignored;
  return std::ranges::all_of(jobs, [&](const auto& job) { return fs::is_regular_file(stored(job), ignored); });
}

FarmPlan farm_plan(const FarmOptions& o, const std::string& folder) {
  EncodeOptions encode = o.encode;
  encode.verify_share.reset();
  const bool is_video = o.encode.to.empty() && !media::still_kind(o.encode.output);
  FarmPlan plan{.manifest = manifest_of(is_video ? in_parts(std::move(encode), wanted_tasks(o), folder) : encode),
                .is_video = is_video,
                .tasks = 0,
                .store = folder + "/store"};
  const auto jobs = static_cast<int64_t>(plan.manifest.jobs.size());
  plan.tasks = static_cast<int>(is_video ? jobs : std::min<int64_t>(jobs, wanted_tasks(o)));
  return plan;
}

namespace {

// All words but those that name the jobs.
std::string command_of_task(const FarmOptions& o, const FarmPlan& plan) {
  const EncodeOptions& run = o.encode;
  std::vector<std::string> words = {o.program.empty() ? this_program() : o.program, "-q", "--no-config", "encode"};
  words.push_back("--store=" + plan.store);
  if (run.if_exists == IfExists::overwrite) words.emplace_back("--overwrite");
  if (!run.encoding.device.empty()) words.push_back("--device=" + run.encoding.device);
  if (run.encoding.tune) words.push_back(fmt::format("--tune={}", name(*run.encoding.tune)));
  if (run.jobs) words.push_back(fmt::format("--jobs={}", *run.jobs));
  std::string line;
  for (const std::string& word : words) line += farm::shell_word(word) + " ";
  return line;
}

}  // namespace

std::string farm_command(const FarmOptions& o, const FarmPlan& plan, const std::string& manifest) {
  return command_of_task(o, plan) +
         fmt::format("{} --part=$task/{}", farm::shell_word("--manifest=" + manifest), plan.tasks);
}

std::string verify_command(const FarmOptions& o, const FarmPlan& plan, const std::string& manifests) {
  return command_of_task(o, plan) + farm::shell_word("--manifest=" + manifests) + "$task.json";
}

}  // namespace texcast::cli
