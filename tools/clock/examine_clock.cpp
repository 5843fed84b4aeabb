#include "clock/examine_clock.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/timex.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "base/descriptor.h"

namespace texcast::clock {
namespace {

using std::chrono_literals::operator""ms;

constexpr nanoseconds kAnswersWithin = 800ms;
constexpr size_t kMostOutput = 65536;
constexpr const char* kChronyc = "/usr/bin/chronyc";
constexpr const char* kPmc = "/usr/sbin/pmc";
constexpr const char* kPtp4lSocket = "/var/run/ptp4l";

bool exists(const char* file) {
  std::error_code ignored;
  return std::filesystem::exists(file, ignored);
}

// Output so far when the program has ended or the time is over.
std::string read_until(int descriptor, SteadyTime limit) {
  std::string text;
  std::array<char, 4096> part;
  while (text.size() < kMostOutput) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(limit - steady_now());
    pollfd readable{descriptor, POLLIN, 0};
    if (left <= 0ms || poll(&readable, 1, static_cast<int>(left.count())) <= 0) break;
    const ssize_t bytes = read(descriptor, part.data(), part.size());
    if (bytes <= 0) break;
    text.append(part.data(), static_cast<size_t>(bytes));
  }
  return text;
}

// Runs a program and returns its stdout, empty if it cannot be started. It is ended if it takes longer than
// kAnswersWithin.
std::string output_of(std::vector<std::string> words) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return "";
  const Descriptor from(ends[0]);
  Descriptor to(ends[1]);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t process = 0;
  const int failure = posix_spawn(&process, words[0].c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failure != 0) return "";
  to = Descriptor();
  std::string text = read_until(from.get(), steady_now() + kAnswersWithin);
  kill(process, SIGKILL);  // it has ended already, or takes too long
  while (waitpid(process, nullptr, 0) < 0 && errno == EINTR) continue;
  return text;
}

}  // namespace

KernelClock kernel_clock() {
  timex state{};
  if (adjtimex(&state) < 0) return {};
  return {.synchronised = (state.status & STA_UNSYNC) == 0, .most_error = std::chrono::microseconds(state.maxerror)};
}

ClockQuality examine_clock() {
  ClockQuality quality{.kernel = kernel_clock(), .has_chrony = exists(kChronyc)};
  if (quality.has_chrony) quality.chrony = parse_tracking(output_of({kChronyc, "-c", "-n", "tracking"}));
  if (exists(kPmc) && exists(kPtp4lSocket))
    quality.ptp = parse_time_status(output_of({kPmc, "-u", "-b", "0", "GET TIME_STATUS_NP"}));
  return quality;
}

}  // namespace texcast::clock
