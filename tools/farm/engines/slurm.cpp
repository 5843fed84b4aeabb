#include "farm/slurm.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <string_view>
#include <utility>

#include "base/log.h"
#include "farm/program.h"
#include "slurm_queue.h"
#include "texcast/error.h"

namespace texcast::farm {
namespace {

// Slurm's commands wait by themselves for slurmctld, each message up to MessageTimeout (10 s).
constexpr nanoseconds kLimit = std::chrono::minutes(1);
constexpr size_t kMostText = 4 << 20;  // bytes that a command may print

// Parts of messages after which the same command may succeed (slurm_errno.c): slurmctld restarts, or is busy. An
// interrupt is seen by the caller.
constexpr std::array<std::string_view, 9> kMayPass = {"Unable to contact slurm controller",
                                                      "Socket timed out",
                                                      "Connection refused",
                                                      "Transport endpoint",
                                                      "communication",
                                                      "temporarily",
                                                      "Zero Bytes were transmitted",
                                                      "backup mode",
                                                      "interrupted"};

// No node is left for a job, by its options and --exclude.
constexpr std::string_view kNoSuchNodes = "node configuration is not available";

std::string one_line(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  if (const size_t end = text.rfind('\n'); end != std::string::npos) text.erase(0, end + 1);
  return text.substr(0, 300);
}

bool may_pass(std::string_view message) {
  return std::ranges::any_of(kMayPass, [&](std::string_view part) { return message.find(part) != message.npos; });
}

// The output of a command that succeeded.
Result<std::string> output_of(const std::vector<std::string>& words, const std::atomic<bool>* stop) {
  auto result = run_program(words, {.time = kLimit, .bytes = kMostText, .stop = stop});
  if (!result) return result.error();
  if (result->status == 0) return std::move(result->out);
  const std::string message = one_line(result->err);
  return Failure{message.empty() ? fmt::format("{} ended with status {}", words.front(), result->status) : message};
}

bool mentions_gpu(const std::vector<std::string>& options) {
  return std::ranges::any_of(options, [](const std::string& word) {
    return word.starts_with("--gres") || word.starts_with("--gpu") || word.starts_with("-G");
  });
}

// Throws Error{failed} if there is no Slurm here, or it does not answer.
bool cluster_has_gpus(const std::atomic<bool>* stop) {
  const auto resources = output_of({"sinfo", "--noheader", "--format=%G"}, stop);
  if (!resources) throw Error(ErrorKind::failed, fmt::format("--slurm: {}", resources.error().message));
  return resources->find("gpu") != std::string::npos;
}

std::string list_of(const std::vector<int>& tasks) {
  std::string list;
  for (size_t i = 0; i < tasks.size();) {
    size_t last = i;
    while (last + 1 < tasks.size() && tasks[last + 1] == tasks[last] + 1) ++last;
    list += fmt::format("{}{}", list.empty() ? "" : ",", tasks[i]);
    if (last > i) list += fmt::format("-{}", tasks[last]);
    i = last + 1;
  }
  return list;
}

}  // namespace

Slurm::Slurm(const WorkFolder& folder, std::vector<std::string> options, const std::atomic<bool>* stop)
    : folder_(folder), options_(std::move(options)), stop_(stop) {
  if (!mentions_gpu(options_) && cluster_has_gpus(stop_)) options_.emplace_back("--gres=gpu:1");
}

Result<void> Slurm::start(const std::vector<int>& tasks) {
  for (const auto& [host, group] : by_avoided_host(tasks))
    if (const auto submitted = submit(group, host); !submitted) return submitted.error();
  return {};
}

Result<void> Slurm::submit(const std::vector<int>& tasks, const std::string& avoided) {
  if (uncertain_ && already_has(tasks)) return {};
  std::vector<std::string> words = {"sbatch"};
  words.insert(words.end(), options_.begin(), options_.end());
  if (!avoided.empty()) words.push_back("--exclude=" + avoided);
  words.insert(words.end(), {"--parsable", "--requeue", "--open-mode=append", "--job-name=" + folder_.name(),
                             "--array=" + list_of(tasks), "--chdir=" + folder_.path(),
                             "--output=" + folder_.file("slurm.log"), folder_.file("task.sh")});
  const auto output = output_of(words, stop_);
  uncertain_ = !output;
  if (output) {
    jobs_.push_back(one_line(*output).substr(0, output->find_first_of(";\n")));
    return {};
  }
  if (!avoided.empty() && output.error().message.find(kNoSuchNodes) != std::string::npos) {
    log_warning("no other node than '{}' can take tasks that should run elsewhere: they run there", avoided);
    return submit(tasks, "");
  }
  if (!may_pass(output.error().message)) throw Error(ErrorKind::failed, output.error().message);
  return output.error();
}

bool Slurm::already_has(const std::vector<int>& tasks) {
  const auto view = look();
  return view && std::ranges::all_of(tasks, [&](int task) { return view->knows(task); });
}

Result<QueueView> Slurm::look() {
  const auto text = output_of({"squeue", "--array", "--noheader", "--states=all", "--name=" + folder_.name(),
                               std::string("--format=") + kQueueFormat},
                              stop_);
  if (!text) return text.error();
  return parse_queue(*text);
}

Result<void> Slurm::cancel() {
  const auto output = output_of({"scancel", "--name=" + folder_.name()}, nullptr);
  if (!output) return output.error();
  return {};
}

std::string Slurm::handle() const {
  if (jobs_.empty()) return "";
  std::string list;
  for (const std::string& job : jobs_) list += (list.empty() ? "" : ", ") + job;
  return fmt::format("{} {}", jobs_.size() == 1 ? "job" : "jobs", list);
}

}  // namespace texcast::farm
