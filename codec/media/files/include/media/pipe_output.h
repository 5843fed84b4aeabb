// pipe_output.h — output that goes into a pipe (stdout, a FIFO) instead of a file: it has no journal, cannot be read
// again, and nothing is replaced.
#pragma once

#include <memory>
#include <string>

#include "base/descriptor.h"

namespace texcast::media {

// Immutable; may be shared by threads.
struct PipeOutput {
  Descriptor descriptor;  // for writing
  // Its name in messages. The extension says what is written, as that of a file does: "stdout.nut".
  std::string name{};
};
using PipePtr = std::shared_ptr<const PipeOutput>;

}  // namespace texcast::media
