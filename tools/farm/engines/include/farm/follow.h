// follow.h — starts the tasks of a work folder that have no results, follows them to their ends, and repeats those that
// fail.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "farm/engine.h"
#include "farm/work_folder.h"

namespace texcast::farm {

struct Standing {
  int done = 0, running = 0, waiting = 0, failed = 0;
  std::string why_waiting{};
};

struct FollowSettings {
  int tasks = 0;    // numbered from 1
  int retries = 3;  // of each task that fails; engines that repeat() do so themselves
  std::function<bool(int task)> has_results{};
  std::function<void(const Standing&)> on_look = [](const Standing&) {};
  const std::atomic<bool>* stop = nullptr;  // set: cancel the tasks
  Clock& clock = system_clock();
};

struct FollowReport {
  int done = 0;
  int found = 0;  // of these: had their results before
  int repeated = 0;
  bool stopped = false;
  std::vector<std::string> failures{};  // of tasks that were given up, a line for each
};

// Returns when every task has its results or was given up, or when it was stopped and the tasks are cancelled. After a
// usage error of one task, which all others would make, it cancels them.
//
// Commands of the engine that fail are repeated for ten minutes; then it throws Error{failed}, and the tasks go on.
FollowReport follow(Engine& engine, const WorkFolder& folder, const FollowSettings& settings);

}  // namespace texcast::farm
