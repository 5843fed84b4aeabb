// recover.cpp — `texcast recover`: repairs a recording that was not closed.
#include <fmt/core.h>

#include "base/log.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "files/pipe_target.h"
#include "media/recovery.h"
#include "texcast/error.h"
#include "text/figures.h"
#include "text/json_text.h"
#include "text/verbosity.h"

namespace texcast::cli {

int run_recover(const RecoverOptions& o) {
  if (o.output.empty() && o.if_exists != IfExists::refuse)
    throw Error(ErrorKind::usage, "--overwrite and --number are for the file of --output; give it too");
  require_file(o.output, "--output", "a recording is completed in place");
  const media::RecoveryReport r = media::recover_recording(
      {.recording = o.file, .output = o.output, .if_exists = o.if_exists, .stop = &interrupt_flag()});
  const double seconds = in_seconds(r.duration);
  if (o.json) {
    const Json json = Json::object({{"file", o.file},
                                    {"output", r.output},
                                    {"was_complete", r.was_complete},
                                    {"frames", r.frames},
                                    {"packets", r.packets},
                                    {"damaged", r.damaged},
                                    {"seconds", seconds},
                                    {"file_bytes", r.bytes}});
    fmt::print("{}\n", json.text(2));
    return 0;
  }
  if (!reports()) return 0;
  if (r.was_complete)
    print_row("complete", fmt::format("{} is complete; there was nothing to repair{}", o.file,
                                      o.output.empty() ? "" : ", and " + o.output + " is a copy"));
  if (r.was_complete && o.output.empty()) return 0;
  print_row(r.was_complete ? "copied" : "recovered",
            fmt::format("{}, {:.2f} s", plural(static_cast<uint64_t>(r.frames), "frame"), seconds));
  if (r.damaged > 0)
    print_row("skipped", plural(static_cast<uint64_t>(r.damaged), "packet") + " that were not completely on the disk");
  print_row("file", fmt::format("{}, {}", r.output, file_size(r.bytes)));
  return 0;
}

}  // namespace texcast::cli
