#include "farm/follow.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <optional>

#include "base/log.h"
#include "texcast/error.h"

namespace texcast::farm {
namespace {

// Between two looks: at first a quarter of a second, then a twentieth of the time that the work has taken.
constexpr nanoseconds kShortest = std::chrono::milliseconds(250), kLongest = std::chrono::seconds(10);
// How long the engine's commands may fail, for a restart of slurmctld or its machine.
constexpr nanoseconds kAnswerPatience = std::chrono::minutes(10);
// How long the files of a task that has ended may be missing: NFS shows them after up to a minute (acdirmax).
constexpr nanoseconds kFilePatience = std::chrono::seconds(90);
constexpr int kUsageStatus = static_cast<int>(ErrorKind::usage);
constexpr int kCorruptStatus = static_cast<int>(ErrorKind::corrupt);

struct Task {
  enum class State { idle, started, done, given_up } state = State::idle;
  int failures = 0;
  bool is_adopted = false;                 // an earlier process started it, and may have cancelled it
  std::optional<SteadyTime> gone_since{};  // the engine does not know it any more, and its files do not say why
};

class Follower {
 public:
  Follower(Engine& engine, const WorkFolder& folder, const FollowSettings& settings)
      : engine_(engine),
        folder_(folder),
        s_(settings),
        begun_(settings.clock.now()),
        tasks_(static_cast<size_t>(settings.tasks)) {}

  FollowReport run() {
    find_results();
    bool first = true;
    while (!is_over() && !stopped()) {
      if (!first) sleep();
      if (stopped()) break;
      if (const auto view = answer(engine_.look())) take(*view);
      if (const std::vector<int> idle = numbers_of(Task::State::idle); !idle.empty() && !gives_up_) start(idle);
      first = false;
    }
    report_.stopped = stopped() && !is_over();
    if (report_.stopped || (gives_up_ && !numbers_of(Task::State::started).empty())) cancel();
    report_.done = static_cast<int>(numbers_of(Task::State::done).size());
    return report_;
  }

 private:
  bool stopped() const { return s_.stop != nullptr && s_.stop->load(); }
  Task& task(int number) { return tasks_[static_cast<size_t>(number - 1)]; }

  std::vector<int> numbers_of(Task::State state) const {
    std::vector<int> numbers;
    for (size_t i = 0; i < tasks_.size(); ++i)
      if (tasks_[i].state == state) numbers.push_back(static_cast<int>(i) + 1);
    return numbers;
  }

  bool is_over() const {
    return gives_up_ || std::ranges::all_of(tasks_, [](const Task& task) {
             return task.state == Task::State::done || task.state == Task::State::given_up;
           });
  }

  void find_results() {
    for (int number = 1; number <= s_.tasks; ++number)
      if (s_.has_results(number)) task(number).state = Task::State::done;
    report_.found = static_cast<int>(numbers_of(Task::State::done).size());
  }

  void sleep() {
    const SteadyTime now = s_.clock.now();
    const SteadyTime end = now + std::clamp((now - begun_) / 20, kShortest, kLongest);
    for (SteadyTime at = now; at < end && !stopped(); at = s_.clock.now())
      s_.clock.sleep_until(std::min(end, at + kShortest));
  }

  // The answer if there is one. Throws Error{failed} after kAnswerPatience without any.
  template <typename T>
  std::optional<T> answer(Result<T> result) {
    if (result) {
      silent_since_.reset();
      return std::move(*result);
    }
    complain(result.error().message);
    return std::nullopt;
  }

  void complain(const std::string& message) {
    if (stopped()) return;
    const SteadyTime now = s_.clock.now();
    if (!silent_since_) {
      silent_since_ = now;
      log_warning("{} does not answer, and is asked again: {}", engine_.name(), message);
    }
    if (now - *silent_since_ < kAnswerPatience) return;
    throw Error(ErrorKind::failed,
                fmt::format("{} has not answered for 10 minutes: {}; its tasks may go on, and the same command resumes",
                            engine_.name(), message));
  }

  void start(const std::vector<int>& numbers) {
    if (const auto started = engine_.start(numbers); !started) return complain(started.error().message);
    for (const int number : numbers) {
      task(number).state = Task::State::started;
      task(number).is_adopted = false;
      task(number).gone_since.reset();
    }
  }

  void take(const QueueView& view) {
    for (int number = 1; number <= s_.tasks; ++number) {
      Task& known = task(number);
      if (known.state == Task::State::idle && view.knows(number)) {
        known.state = Task::State::started;
        known.is_adopted = true;
      }
      if (known.state == Task::State::started && !view.waiting.contains(number)) look_at(number, view);
    }
    Standing standing{.done = static_cast<int>(numbers_of(Task::State::done).size()),
                      .running = 0,
                      .waiting = 0,
                      .failed = static_cast<int>(numbers_of(Task::State::given_up).size()),
                      .why_waiting = view.why_waiting};
    for (const int number : numbers_of(Task::State::started))
      ++(view.running.contains(number) ? standing.running : standing.waiting);
    s_.on_look(standing);
  }

  // A task that was started, and does not wait.
  void look_at(int number, const QueueView& view) {
    const std::optional<int> status = folder_.exit_status(number);
    if (status == 0 && s_.has_results(number)) {
      task(number).state = Task::State::done;
      return;
    }
    if (view.knows(number)) return task(number).gone_since.reset();
    const auto ended = view.ended.find(number);
    const std::string how = ended == view.ended.end() ? "" : ended->second;
    if (status.value_or(0) != 0 || (!how.empty() && how != "COMPLETED")) return fail(number, status, how);
    // It ended well, or has left the queue without a word: its files may not be seen here yet.
    const SteadyTime now = s_.clock.now();
    if (!task(number).gone_since) task(number).gone_since = now;
    if (now - *task(number).gone_since >= kFilePatience)
      fail(number, status, status ? "its results are not in " + folder_.path() : "it has left the queue");
  }

  void fail(int number, std::optional<int> status, const std::string& how) {
    if (how == kCancelled && task(number).is_adopted) {
      task(number).state = Task::State::idle;
      return;
    }
    const std::string message = folder_.last_message(number);
    const std::string state = status && *status != 0 ? fmt::format("exit status {}", *status) : how;
    const std::string reason =
        message.empty() ? fmt::format("{}, without a message", state) : fmt::format("{} ({})", message, state);
    Task& failed = task(number);
    const bool is_final =
        engine_.repeats() || is_certain(status) || how == kCancelled || ++failed.failures > s_.retries;
    if (!is_final) {
      log_warning("task {} failed and is repeated: {}", number, reason);
      failed.state = Task::State::idle;
      ++report_.repeated;
      return;
    }
    failed.state = Task::State::given_up;
    report_.failures.push_back(fmt::format("task {} failed: {}", number, reason));
    log_error("{}", report_.failures.back());
    if (status == kUsageStatus) gives_up_ = true;
  }

  // Another attempt fails too, or hides that two results differed.
  static bool is_certain(std::optional<int> status) { return status == kUsageStatus || status == kCorruptStatus; }

  void cancel() {
    const SteadyTime begun = s_.clock.now();
    while (true) {
      const auto cancelled = engine_.cancel();
      if (cancelled) return;
      if (s_.clock.now() - begun < std::chrono::seconds(30)) {
        s_.clock.sleep_until(s_.clock.now() + std::chrono::seconds(1));
        continue;
      }
      return log_error("cannot cancel {}: {}", engine_.handle(), cancelled.error().message);
    }
  }

  Engine& engine_;
  const WorkFolder& folder_;
  const FollowSettings& s_;
  const SteadyTime begun_;
  std::vector<Task> tasks_;
  std::optional<SteadyTime> silent_since_;
  bool gives_up_ = false;
  FollowReport report_;
};

}  // namespace

FollowReport follow(Engine& engine, const WorkFolder& folder, const FollowSettings& settings) {
  return Follower(engine, folder, settings).run();
}

}  // namespace texcast::farm
