// join.cpp — `texcast join`: makes one video of the parts that `encode --part` wrote.
#include "media/join.h"

#include <fmt/core.h>

#include "cli/commands.h"
#include "cli/interrupt.h"
#include "files/pipe_target.h"
#include "text/figures.h"
#include "text/json_text.h"
#include "text/verbosity.h"

namespace texcast::cli {

int run_join(const JoinOptions& o) {
  require_file(o.output, "OUTPUT", "the index of a video is at its end");
  const media::JoinReport r =
      media::join_parts({.parts = o.parts, .output = o.output, .if_exists = o.if_exists, .stop = &interrupt_flag()});
  const double seconds = in_seconds(r.duration);
  if (o.json) {
    const Json json = Json::object({{"output", r.output},
                                    {"parts", r.parts},
                                    {"frames", r.frames},
                                    {"seconds", seconds},
                                    {"file_bytes", r.bytes}});
    fmt::print("{}\n", json.text(2));
    return 0;
  }
  if (!reports()) return 0;
  print_row("joined", fmt::format("{} with {}, {:.2f} s", plural(static_cast<uint64_t>(r.parts), "part"),
                                  plural(static_cast<uint64_t>(r.frames), "frame"), seconds));
  print_row("file", fmt::format("{}, {}", r.output, file_size(r.bytes)));
  return 0;
}

}  // namespace texcast::cli
