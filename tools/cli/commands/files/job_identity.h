// job_identity.h — the content address of a job's output: equal for jobs whose outputs have the same frames.
#pragma once

#include <string>

#include "cli/options.h"
#include "farm/content_id.h"

namespace texcast::cli {

struct JobIdentity {
  std::string whole;  // of the job without its part: the same for all parts of a video; 64 hex digits
  std::string id;     // of the job with its part
};

// Hashes the input's bytes, all options that change the output, in one spelling, the part, the kind of the output file,
// and the version of texcast. Names, devices and threads do not count. The options have passed the checks of `encode`,
// and name a format. Throws Error{input} if the input cannot be read.
JobIdentity identity_of(const EncodeOptions& options, farm::FileHashes& hashes);

// Whether every process reads the same from the input: a file, numbered files, test, or lavfi:GRAPH.
bool is_repeatable(const std::string& input);

}  // namespace texcast::cli
