// farm_progress.h — follows the tasks of a farm with a progress bar.
#pragma once

#include <functional>

#include "farm/engine.h"
#include "farm/follow.h"
#include "farm/work_folder.h"

namespace texcast::cli {

struct ShownTasks {
  const char* doing = "";  // "encoding"
  int count = 0;
  int retries = 0;
  std::function<bool(int task)> has_results{};
};

// farm::follow(), until Ctrl-C. The bar has the number of tasks that run and wait, and why they wait.
farm::FollowReport follow_shown(const ShownTasks& tasks, const farm::WorkFolder& folder, farm::Engine& engine);

}  // namespace texcast::cli
