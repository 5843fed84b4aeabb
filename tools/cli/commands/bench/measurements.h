// measurements.h — the measurements of `texcast bench`: each of one device, with what the command line asks for.
#pragma once

#include <string>
#include <vector>

#include "bench/pipeline.h"
#include "cli/options.h"
#include "ocl/device.h"
#include "texcast/decoder.h"
#include "text/json_text.h"

namespace texcast::cli {

struct Picture {
  std::string file;
  DecodedImage image;
};
// The first frame of each file, as RGB: of YUV by the kernels' own arithmetic. Throws Error{input}.
std::vector<Picture> read_pictures(const std::vector<std::string>& files);

struct BenchContext {
  const BenchOptions& options;
  const ocl::Device& device;
  FrameFormat source;
  const std::vector<Picture>& pictures;
  bool alone = false;  // no other measurement was asked for
  // What bench_pipeline found out, a report for each device so far.
  std::vector<bench::PipelineReport>& pipelines;
};

// Each measures one device, prints its table to stdout unless --json was given, and returns the same as JSON. What was
// left out is said in the table, with the option that brings it back.
Json bench_kernels(const BenchContext& context);
Json bench_pipeline(const BenchContext& context);
Json bench_psnr(const BenchContext& context);
Json bench_lspiro(const BenchContext& context);
Json bench_tune(const BenchContext& context);
// The pipeline over several devices at once, beside the mean of what each does alone.
Json bench_together(const BenchContext& context, const std::vector<const ocl::Device*>& devices);

}  // namespace texcast::cli
