// measurements.h — the measurements of `texcast bench`, each of one device.
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
// The first frame of each file as RGB; YUV is converted as the kernels do. Throws Error{input}.
std::vector<Picture> read_pictures(const std::vector<std::string>& files);

struct BenchContext {
  const BenchOptions& options;
  const ocl::Device& device;
  FrameFormat source;
  const std::vector<Picture>& pictures;
  bool alone = false;  // it is the only measurement
  // Reports of bench_pipeline, one for each device so far.
  std::vector<bench::PipelineReport>& pipelines;
};

// Each measures one device, prints its table to stdout unless --json was given, and returns the results as JSON. The
// table says what was skipped, and which option includes it.
Json bench_kernels(const BenchContext& context);
Json bench_pipeline(const BenchContext& context);
Json bench_psnr(const BenchContext& context);
Json bench_lspiro(const BenchContext& context);
Json bench_tune(const BenchContext& context);
// The pipeline on several devices at once, compared with the mean of each alone.
Json bench_together(const BenchContext& context, const std::vector<const ocl::Device*>& devices);

}  // namespace texcast::cli
