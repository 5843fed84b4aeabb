// Starting, following and repeating tasks, driven by an engine for tests in simulated time.
#include "farm/follow.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <fstream>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "check_error.h"
#include "manual_clock.h"
#include "temporary_folder.h"
#include "texcast/error.h"

using namespace texcast;
using namespace texcast::farm;
using texcast::test::check_error;
using texcast::test::ManualClock;

namespace {

// An engine whose tasks do at each look what `next` says.
class FakeEngine final : public Engine {
 public:
  std::string name() const override { return "the engine"; }
  using Engine::by_avoided_host;
  Result<void> start(const std::vector<int>& tasks) override {
    if (refusals > 0) return --refusals, Failure{"busy"};
    started.push_back(tasks);
    for (const int task : tasks) view.ended.erase(task), view.waiting.insert(task);
    return {};
  }
  Result<QueueView> look() override {
    if (silent > 0) return --silent, Failure{"no answer"};
    if (next) next(*this);
    return view;
  }
  Result<void> cancel() override {
    ++cancelled;
    return {};
  }
  bool repeats() const override { return by_itself; }
  std::string handle() const override { return "job 1"; }

  void end(int task, const std::string& state) {
    view.waiting.erase(task);
    view.running.erase(task);
    view.ended[task] = state;
  }
  bool knows(int task) const { return view.knows(task); }

  QueueView view;
  std::function<void(FakeEngine&)> next;
  std::vector<std::vector<int>> started;
  int silent = 0, refusals = 0, cancelled = 0;
  bool by_itself = false;
};

// A run with `tasks` tasks.
struct Run {
  explicit Run(int count) {
    settings.tasks = count;
    settings.has_results = [this](int task) { return results.contains(task); };
  }
  FollowReport follow() { return farm::follow(engine, folder, settings); }
  // As task.sh does.
  void log(int task, const std::string& text) const { std::ofstream(folder.log(task), std::ios::app) << text; }
  void succeed(int task) {
    log(task, "# begins on a\n# ended 0\n");
    results.insert(task);
    engine.end(task, "COMPLETED");
  }
  void fail(int task, const std::string& message, int status) {
    log(task, "# begins on a\n" + message + "\n# ended " + std::to_string(status) + "\n");
    engine.end(task, "FAILED");
  }

  test::TemporaryFolder place;
  WorkFolder folder{place.file("work")};
  ManualClock clock;
  FakeEngine engine;
  std::set<int> results;
  FollowSettings settings{.clock = clock};
};

}  // namespace

TEST_CASE("tasks without results are started, and those with results are not") {
  Run run(4);
  run.results = {2};
  run.engine.next = [&](FakeEngine& engine) {
    for (int task = 1; task <= 4; ++task)
      if (engine.knows(task)) run.succeed(task);
  };
  const FollowReport report = run.follow();
  CHECK(run.engine.started == std::vector<std::vector<int>>{{1, 3, 4}});
  CHECK(report.done == 4);
  CHECK(report.found == 1);
  CHECK(report.failures.empty());
  CHECK(run.engine.cancelled == 0);
}

TEST_CASE("tasks that an earlier process started are followed") {
  Run run(2);
  run.engine.view.running = {1};
  int looks = 0;
  run.engine.next = [&](FakeEngine& engine) {
    if (++looks < 3) return;
    for (int task = 1; task <= 2; ++task)
      if (engine.knows(task)) run.succeed(task);
  };
  CHECK(run.follow().done == 2);
  CHECK(run.engine.started == std::vector<std::vector<int>>{{2}});
}

TEST_CASE("a task that fails is repeated alone, and as often as asked") {
  Run run(3);
  run.settings.retries = 2;
  run.engine.next = [&](FakeEngine& engine) {
    if (engine.knows(1)) run.succeed(1);
    if (engine.knows(2)) run.fail(2, "no space left", 1);
    if (engine.knows(3) && engine.started.size() < 2) return engine.end(3, "NODE_FAIL");
    if (engine.knows(3)) run.succeed(3);
  };
  const FollowReport report = run.follow();
  CHECK(run.engine.started == std::vector<std::vector<int>>{{1, 2, 3}, {2, 3}, {2}});
  CHECK(report.done == 2);
  CHECK(report.repeated == 3);
  CHECK(report.failures == std::vector<std::string>{"task 2 failed: no space left (exit status 1)"});
}

TEST_CASE("a usage error ends all tasks, because others would make it too") {
  Run run(2);
  run.engine.next = [&](FakeEngine& engine) {
    if (engine.knows(1)) run.fail(1, "no such option", 2);
  };
  const FollowReport report = run.follow();
  CHECK(report.failures.size() == 1);
  CHECK(run.engine.cancelled == 1);
  CHECK(run.engine.started.size() == 1);
}

TEST_CASE("a task that finds a difference is not repeated, which would hide it, and the others go on") {
  Run run(2);
  run.engine.next = [&](FakeEngine& engine) {
    if (engine.knows(1)) return run.fail(1, "the results differ", 7);
    if (engine.knows(2)) run.succeed(2);
  };
  const FollowReport report = run.follow();
  CHECK(report.done == 1);
  CHECK(report.repeated == 0);
  CHECK(report.failures == std::vector<std::string>{"task 1 failed: the results differ (exit status 7)"});
  CHECK(run.engine.started == std::vector<std::vector<int>>{{1, 2}});
}

TEST_CASE("tasks are grouped by the host that they avoid, and the log says where one began") {
  Run run(1);
  for (const auto& [task, host] : {std::pair{2, "b"}, {3, "a"}, {4, "a"}, {5, "b"}}) run.engine.avoid(task, host);
  CHECK(run.engine.by_avoided_host({1, 2, 3, 5}) ==
        std::map<std::string, std::vector<int>>{{"", {1}}, {"a", {3}}, {"b", {2, 5}}});
  CHECK(run.folder.host(1) == "");
  run.log(1, "# begins on vm as n1\n# ended 1\n");
  CHECK(run.folder.host(1) == "n1");
  run.log(1, "# begins on vm as user@studio 2\nmessage as sent\n");
  CHECK(run.folder.host(1) == "user@studio 2");
  run.log(1, "# begins on vm as \n");
  CHECK(run.folder.host(1) == "");
}

TEST_CASE("an engine that repeats tasks itself is not told to") {
  Run run(1);
  run.engine.by_itself = true;
  run.engine.next = [&](FakeEngine& engine) {
    if (engine.knows(1)) run.fail(1, "no device", 3);
  };
  CHECK(run.follow().failures.size() == 1);
  CHECK(run.engine.started.size() == 1);
}

TEST_CASE("a task that somebody cancelled is not repeated") {
  Run run(2);
  run.engine.next = [&](FakeEngine& engine) {
    if (engine.knows(1)) run.succeed(1);
    if (engine.knows(2)) engine.end(2, "CANCELLED");
  };
  const FollowReport report = run.follow();
  CHECK(report.done == 1);
  CHECK(report.failures == std::vector<std::string>{"task 2 failed: CANCELLED, without a message"});
  CHECK(run.engine.started.size() == 1);
}

TEST_CASE("tasks that an interrupted run is still cancelling are started again") {
  Run run(1);
  run.engine.view.running = {1};
  int looks = 0;
  run.engine.next = [&](FakeEngine& engine) {
    if (++looks == 2) engine.end(1, "CANCELLED");
    if (engine.started.size() == 1 && engine.knows(1)) run.succeed(1);
  };
  const FollowReport report = run.follow();
  CHECK(report.done == 1);
  CHECK(report.repeated == 0);
}

TEST_CASE("an engine that does not answer for minutes is asked again, but not for ever") {
  Run run(1);
  run.engine.next = [&](FakeEngine& engine) {
    if (engine.knows(1)) run.succeed(1);
  };
  run.engine.silent = 50;
  run.engine.refusals = 5;
  CHECK(run.follow().done == 1);
  Run other(1);
  other.engine.silent = 1'000'000;
  const SteadyTime begun = other.clock.now();
  check_error(ErrorKind::failed, "the engine has not answered for 10 minutes: no answer",
              [&] { (void)other.follow(); });
  CHECK(other.clock.now() - begun < std::chrono::minutes(12));
}

TEST_CASE("results that another machine wrote may appear a minute later") {
  Run run(1);
  const SteadyTime begun = run.clock.now();
  run.engine.next = [&](FakeEngine& engine) {
    if (engine.knows(1)) engine.end(1, "COMPLETED");
    if (run.clock.now() - begun < std::chrono::seconds(60) || !run.results.empty()) return;
    run.log(1, "# begins on a\n# ended 0\n");
    run.results.insert(1);
  };
  CHECK(run.follow().done == 1);
  CHECK(run.engine.started.size() == 1);
}

TEST_CASE("a task that has left the queue without a word is repeated") {
  Run run(1);
  run.engine.next = [&](FakeEngine& engine) {
    if (engine.started.size() == 1) engine.view = {};
    if (engine.started.size() == 2 && engine.knows(1)) run.succeed(1);
  };
  const FollowReport report = run.follow();
  CHECK(report.done == 1);
  CHECK(report.repeated == 1);
}

TEST_CASE("an interrupt cancels the tasks") {
  Run run(2);
  std::atomic<bool> stop = false;
  run.settings.stop = &stop;
  run.engine.next = [&](FakeEngine& engine) {
    if (!engine.knows(1)) return;
    run.succeed(1);
    stop = true;
  };
  const FollowReport report = run.follow();
  CHECK(report.stopped);
  CHECK(report.done == 1);
  CHECK(run.engine.cancelled == 1);
}
