#include "farm/parallel.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <signal.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <utility>

#include "base/errno_text.h"
#include "base/log.h"
#include "base/regular_file.h"
#include "texcast/error.h"

namespace texcast::farm {
namespace {

constexpr size_t kLargestHostFile = 1 << 20;  // bytes
constexpr size_t kLargestJobLog = 64 << 20;
constexpr size_t kMostHosts = 10'000;
// GNU parallel ends its tasks within half a second (--termseq).
constexpr nanoseconds kEndLimit = std::chrono::seconds(20);

std::string_view without_blanks(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

bool has_number(std::string_view host) {
  const size_t slash = host.find('/');
  return slash != std::string_view::npos && slash > 0 && host.find_first_not_of("0123456789") == slash;
}

// Takes the text before the separator off.
std::string_view cut(std::string_view& text, char separator) {
  const size_t end = std::min(text.find(separator), text.size());
  const std::string_view first = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return first;
}

std::optional<int> number_of(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// Adds the hosts between separators.
void add_hosts(std::vector<std::string>& hosts, std::string_view text, char separator) {
  while (!text.empty() && hosts.size() <= kMostHosts) {
    const std::string_view host = without_blanks(cut(text, separator));
    if (host.empty() || host.front() == '#') continue;
    hosts.push_back((has_number(host) ? "" : "1/") + std::string(host));
  }
}

}  // namespace

Result<std::vector<std::string>> parse_hosts(std::string_view text) {
  std::vector<std::string> hosts;
  if (text.starts_with('@')) {
    const auto file = read_regular_file(std::string(text.substr(1)), kLargestHostFile);
    if (!file) return Failure{fmt::format("cannot read hosts from '{}': {}", text.substr(1), file.error().message)};
    add_hosts(hosts, *file, '\n');
  } else {
    add_hosts(hosts, text, ',');
  }
  if (hosts.empty() || hosts.size() > kMostHosts)
    return Failure{
        fmt::format("'{}' names {} hosts; give : for this machine, a,b, 4/a for four tasks at a time, or "
                    "@FILE with a host on each line",
                    text, hosts.empty() ? "no" : "too many")};
  return hosts;
}

std::map<int, std::string> parse_job_log(std::string_view text) {
  std::map<int, std::string> ended;
  for (std::string_view line = cut(text, '\n'); !line.empty(); line = cut(text, '\n')) {
    std::string_view exit_value, signal;
    for (int column = 1; column < 9; ++column) {
      const std::string_view field = cut(line, '\t');
      if (column == 7) exit_value = field;
      if (column == 8) signal = field;
    }
    const auto task = number_of(line.substr(line.rfind(' ') + 1));
    if (!task || !number_of(exit_value) || !number_of(signal)) continue;  // the line of titles
    const bool good = exit_value == "0" && signal == "0";
    ended[*task] = good ? "COMPLETED" : fmt::format("exit status {}, signal {}", exit_value, signal);
  }
  return ended;
}

Parallel::Parallel(const WorkFolder& folder, std::vector<std::string> hosts, int retries)
    : folder_(folder), hosts_(std::move(hosts)), retries_(retries) {
  // The package moreutils has another program of that name.
  const auto version = run_program({"parallel", "--version"}, {.time = std::chrono::minutes(1), .bytes = 1 << 20});
  if (!version) throw Error(ErrorKind::failed, fmt::format("--parallel: {}", version.error().message));
  if (version->out.find("GNU parallel") == std::string::npos)
    throw Error(ErrorKind::failed, "--parallel: the program 'parallel' here is not GNU parallel: install that");
}

Result<void> Parallel::start(const std::vector<int>& tasks) {
  tasks_ = tasks;
  waiting_ = by_avoided_host(tasks);
  start_next();
  return {};
}

std::vector<std::string> Parallel::hosts_without(const std::string& avoided) const {
  std::vector<std::string> others;
  for (const std::string& host : hosts_)
    if (host.substr(host.find('/') + 1) != avoided) others.push_back(host);
  if (!others.empty()) return others;
  log_warning("no other host than '{}' can take tasks that should run elsewhere: they run there", avoided);
  return hosts_;
}

void Parallel::start_next() {
  const auto next = waiting_.extract(waiting_.begin());
  // --will-cite: documented in parallel(1) as the way to silence the citation notice, which docs/farm.md has instead.
  std::vector<std::string> words = {"parallel", "--will-cite", "--no-run-if-empty", "--plain"};
  // A plus: the log is continued.
  const std::string log_of_jobs = (program_ ? "+" : "") + folder_.file("parallel.joblog");
  words.insert(words.end(), {"--retries", std::to_string(retries_ + 1), "--joblog", log_of_jobs});
  for (const std::string& host : hosts_without(next.key())) words.insert(words.end(), {"--sshlogin", host});
  // A remote shell reads the word after parallel has quoted {} only.
  words.insert(words.end(), {shell_word(folder_.file("task.sh")) + " {}", ":::"});
  for (const int task : next.mapped()) words.push_back(std::to_string(task));
  const std::string path = folder_.file("parallel.log");
  const Descriptor log(open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
  if (!log.valid()) throw Error(ErrorKind::failed, fmt::format("cannot create '{}': {}", path, errno_text(errno)));
  auto program = RunningProgram::start(words, {.out = log.get(), .err = log.get(), .kept = folder_.lock()});
  if (!program) throw Error(ErrorKind::failed, fmt::format("--parallel: {}", program.error().message));
  program_.emplace(std::move(*program));
}

Result<QueueView> Parallel::look() {
  QueueView view;
  if (!program_) return view;
  if (program_->ended() && !waiting_.empty()) start_next();
  if (!program_->ended()) {
    view.running.insert(tasks_.begin(), tasks_.end());
    return view;
  }
  const auto log = read_regular_file(folder_.file("parallel.joblog"), kLargestJobLog);
  if (log) view.ended = parse_job_log(*log);
  for (const int task : tasks_) view.ended.emplace(task, "NOT_RUN");
  return view;
}

Result<void> Parallel::cancel() {
  waiting_.clear();
  if (!program_) return {};
  program_->send(SIGTERM);
  if (program_->wait_until(steady_now() + kEndLimit)) return {};
  return Failure{"GNU parallel did not end in time; tasks on other hosts may go on for a while"};
}

}  // namespace texcast::farm
