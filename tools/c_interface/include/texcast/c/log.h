// log.h — messages for a person besides errors, such as that kernels are compiled or that nobody listens.
#pragma once

#include "texcast/c/status.h"

TEXCAST_C_BEGIN

typedef enum texcast_log_level {
  TEXCAST_LOG_DEBUG = 0,  // for developers of texcast
  TEXCAST_LOG_INFO = 1,
  TEXCAST_LOG_WARNING = 2,
  TEXCAST_LOG_ERROR = 3,  // a failure that no call was there to report
  TEXCAST_LOG_MAX_ENUM = 0x7FFFFFFF
} texcast_log_level;

// `line` is UTF-8 without an end of line, valid during the call. Called on any thread, but never concurrently. It must
// not call texcast.
typedef void (*texcast_log_function)(void* user, texcast_log_level level, const char* line);

// Sends lines of `lowest` and above to `function` from now on; NULL discards all lines, which is the default. There is
// one function per process, which C++ users of libtexcast share. The previous one is not called any more when this
// returns. Any thread, but not from within the function. TEXCAST_MISUSE: an unknown level.
TEXCAST_C_API texcast_status texcast_set_log(texcast_log_function function, void* user, texcast_log_level lowest,
                                             texcast_error* error);

TEXCAST_C_END
