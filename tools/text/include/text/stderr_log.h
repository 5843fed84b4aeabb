// stderr_log.h — writes the log to stderr, in colour on a terminal. stdout is for results and --json.
#pragma once

namespace texcast {

void log_to_stderr();

}  // namespace texcast
