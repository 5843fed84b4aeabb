// bench.h — the measurements of `texcast bench`, one function and one file each.
#pragma once

#include <string>
#include <vector>

#include "cli/options.h"
#include "ocl/device.h"
#include "stream/json_text.h"

namespace texcast::cli {

struct BenchContext {
  const BenchOptions& options;
  const ocl::Device& device;
  FrameFormat source;
  std::vector<std::string> pictures;  // files
};

// Each measures one device, prints its table to stdout unless --json was given, and returns the same as JSON. What was
// left out is said in the table, with the option that brings it back.
Json bench_kernels(const BenchContext& context);

// What may be named on the command line, in the order in which they run.
std::vector<std::string> measurement_names();

}  // namespace texcast::cli
