#include "program.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <thread>

namespace texcast::attack {
namespace {

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

Program::Program(const std::string& path, const std::string& folder, const std::string& name,
                 const std::vector<std::string>& words)
    : report_(folder + "/" + name + ".json"), log_(folder + "/" + name + ".log") {
  std::vector<std::string> all{path};
  all.insert(all.end(), words.begin(), words.end());
  std::vector<char*> arguments;
  for (std::string& word : all) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  child_ = ::fork();
  if (child_ != 0) return;
  ::dup2(::open(report_.c_str(), O_WRONLY | O_CREAT, 0600), 1);
  ::dup2(::open(log_.c_str(), O_WRONLY | O_CREAT, 0600), 2);
  ::execv(arguments[0], arguments.data());
  ::_exit(127);
}

double Program::memory(const std::string& line_of_status) const {
  std::ifstream status("/proc/" + std::to_string(child_) + "/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(line_of_status + ":")) return std::stod(line.substr(line_of_status.size() + 1)) / 1024;
  return 0;
}

double Program::cpu_seconds() const {
  std::ifstream stat("/proc/" + std::to_string(child_) + "/stat");
  std::string word;
  double ticks = 0;
  for (int field = 1; field <= 15 && stat >> word; ++field)
    if (field >= 14) ticks += std::stod(word);  // utime, stime
  return ticks / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

void Program::interrupt() const {
  if (child_ > 0) ::kill(child_, SIGINT);
}

int Program::wait(nanoseconds limit) {
  const SteadyTime end = steady_now() + limit;
  int status = 0;
  while (child_ > 0 && ::waitpid(child_, &status, WNOHANG) == 0) {
    if (steady_now() >= end)
      ::kill(child_, limit > nanoseconds{} && steady_now() < end + std::chrono::seconds(5) ? SIGTERM : SIGKILL);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  child_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int Program::log_lines() const {
  const std::string text = text_of(log_);
  return static_cast<int>(std::ranges::count(text, '\n'));
}

std::optional<double> Program::reported(const std::string& name, const std::string& behind) const {
  const std::string text = text_of(report_);
  const size_t from = behind.empty() ? 0 : text.find('"' + behind + '"');
  const size_t at = from == std::string::npos ? from : text.find('"' + name + "\":", from);
  if (at == std::string::npos) return std::nullopt;
  return std::stod(text.substr(at + name.size() + 3));
}

}  // namespace texcast::attack
