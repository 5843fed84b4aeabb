// stderr_log.h — the log's lines to stderr, in colour on a terminal. stdout stays free for results and --json.
#pragma once

namespace texcast {

void log_to_stderr();

}  // namespace texcast
