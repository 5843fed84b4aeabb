#include "farm/program.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <thread>
#include <utility>

#include "base/errno_text.h"
#include "base/poll_until.h"

extern char** environ;

namespace texcast::farm {
namespace {

constexpr nanoseconds kLook = std::chrono::milliseconds(10), kStopLook = std::chrono::milliseconds(100);

struct SpawnActions {
  posix_spawn_file_actions_t actions{};
  posix_spawnattr_t attributes{};
  SpawnActions() {
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
  }
  ~SpawnActions() {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }
  SpawnActions(const SpawnActions&) = delete;
  SpawnActions& operator=(const SpawnActions&) = delete;

  void put(int from, int to, int flags) {
    if (from >= 0)
      posix_spawn_file_actions_adddup2(&actions, from, to);
    else
      posix_spawn_file_actions_addopen(&actions, to, "/dev/null", flags, 0);
  }
  // Signals have their default actions, of which texcast ignores some, and the child its own process group.
  void usual_signals() {
    sigset_t all, none;
    sigfillset(&all);
    sigemptyset(&none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
  }
};

// One of the child's outputs, which is read here.
struct OutputPipe {
  Descriptor ours, its;
  static Result<OutputPipe> open() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) return Failure{errno_text(errno)};
    return OutputPipe{.ours = Descriptor(ends[0]), .its = Descriptor(ends[1])};
  }
};

// Reads what is there. False: the end, or an error.
bool read_some(int descriptor, std::string& text) {
  std::array<char, 65536> bytes{};
  const ssize_t n = read(descriptor, bytes.data(), bytes.size());
  if (n > 0) text.append(bytes.data(), static_cast<size_t>(n));
  return n > 0 || (n < 0 && errno == EINTR);
}

// Reads both pipes to their ends. Returns what went wrong, or an empty string.
std::string read_both(OutputPipe& out, OutputPipe& err, ProgramOutput& output, SteadyTime deadline,
                      const ProgramLimits& limits) {
  while (out.ours.valid() || err.ours.valid()) {
    if (steady_now() >= deadline) return "it did not end in time";
    if (limits.stop != nullptr && *limits.stop) return "interrupted";
    std::array<pollfd, 2> waiting = {pollfd{.fd = out.ours.get(), .events = POLLIN, .revents = 0},
                                     pollfd{.fd = err.ours.get(), .events = POLLIN, .revents = 0}};
    poll_until(waiting, std::min(deadline, steady_now() + kStopLook));
    if (waiting[0].revents != 0 && !read_some(out.ours.get(), output.out)) out.ours.close();
    if (waiting[1].revents != 0 && !read_some(err.ours.get(), output.err)) err.ours.close();
    if (output.out.size() + output.err.size() > limits.bytes)
      return fmt::format("it printed more than {} bytes", limits.bytes);
  }
  return "";
}

}  // namespace

Result<RunningProgram> RunningProgram::start(const std::vector<std::string>& words, const Output& output) {
  SpawnActions spawn;
  spawn.put(-1, STDIN_FILENO, O_RDONLY);
  spawn.put(output.out, STDOUT_FILENO, O_WRONLY);
  spawn.put(output.err, STDERR_FILENO, O_WRONLY);
  if (output.kept >= 0) posix_spawn_file_actions_adddup2(&spawn.actions, output.kept, output.kept);
  spawn.usual_signals();
  std::vector<std::string> copies = words;
  std::vector<char*> arguments;
  for (std::string& word : copies) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t id = 0;
  const int error = posix_spawnp(&id, arguments.front(), &spawn.actions, &spawn.attributes, arguments.data(), environ);
  if (error != 0) return Failure{fmt::format("cannot run '{}': {}", words.front(), errno_text(error))};
  return RunningProgram(id);
}

RunningProgram::RunningProgram(RunningProgram&& other) noexcept
    : id_(std::exchange(other.id_, 0)), status_(other.status_) {}

RunningProgram::~RunningProgram() {
  if (ended() || id_ == 0) return;
  kill(-id_, SIGKILL);
  while (waitpid(id_, nullptr, 0) < 0 && errno == EINTR) continue;
}

std::optional<int> RunningProgram::ended() {
  if (id_ == 0) return status_;
  int status = 0;
  if (waitpid(id_, &status, WNOHANG) != id_) return std::nullopt;
  id_ = 0;
  status_ = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return status_;
}

std::optional<int> RunningProgram::wait_until(SteadyTime deadline) {
  while (!ended() && id_ != 0 && steady_now() < deadline)
    std::this_thread::sleep_for(std::min(kLook, std::max(deadline - steady_now(), nanoseconds{})));
  return ended();
}

void RunningProgram::send(int signal) const {
  if (id_ != 0) kill(id_, signal);
}

Result<ProgramOutput> run_program(const std::vector<std::string>& words, const ProgramLimits& limits) {
  const SteadyTime deadline = steady_now() + limits.time;
  Result<OutputPipe> out = OutputPipe::open(), err = OutputPipe::open();
  if (!out || !err) return Failure{fmt::format("cannot run '{}': no pipe", words.front())};
  Result<RunningProgram> program = RunningProgram::start(words, {.out = out->its.get(), .err = err->its.get()});
  if (!program) return program.error();
  out->its.close();
  err->its.close();
  ProgramOutput output;
  std::string wrong = read_both(*out, *err, output, deadline, limits);
  const std::optional<int> status = wrong.empty() ? program->wait_until(deadline) : std::nullopt;
  if (!status) return Failure{fmt::format("'{}': {}", words.front(), wrong.empty() ? "it did not end in time" : wrong)};
  output.status = *status;
  return output;
}

std::string shell_word(const std::string& text) {
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

}  // namespace texcast::farm
