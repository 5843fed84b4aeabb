#include "farm/farm_progress.h"

#include <fmt/core.h>

#include <string>

#include "cli/interrupt.h"
#include "text/progress.h"

namespace texcast::cli {
namespace {

std::string note_of(const farm::Standing& standing) {
  std::string note = fmt::format("{} running, {} waiting", standing.running, standing.waiting);
  if (standing.waiting > 0 && !standing.why_waiting.empty()) note += fmt::format(" ({})", standing.why_waiting);
  return note;
}

}  // namespace

farm::FollowReport follow_shown(const ShownTasks& tasks, const farm::WorkFolder& folder, farm::Engine& engine) {
  Progress progress(tasks.doing, tasks.count, "task");
  return farm::follow(engine, folder,
                      {.tasks = tasks.count,
                       .retries = tasks.retries,
                       .has_results = tasks.has_results,
                       .on_look = [&](const farm::Standing& s) { progress.update(s.done, note_of(s)); },
                       .stop = &interrupt_flag()});
}

}  // namespace texcast::cli
