// slurm_queue.h — reads what squeue prints.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "farm/engine.h"

namespace texcast::farm {

// For each task squeue prints its number, state, job and reason.
inline constexpr const char* kQueueFormat = "%K|%T|%A|%r";

// The text of `squeue --array --noheader --format` kQueueFormat, with a line for each task. A task that several jobs
// have tells its state in the last of them, or in one in which it has not ended. A Failure names a line that is none.
Result<QueueView> parse_queue(std::string_view text);

}  // namespace texcast::farm
