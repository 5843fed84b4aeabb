// job_identity.h — the content address of a job's output: equal for jobs whose outputs have the same frames.
#pragma once

#include <string>

#include "cli/options.h"
#include "farm/content_id.h"

namespace texcast::cli {

// Hashes the input's bytes, all options that change the output, in one spelling, the part, the kind of the output file,
// and the version of texcast. Names, devices and threads do not count. The options have passed the checks of `encode`,
// and name a format. 64 hex digits. Throws Error{input} if the input cannot be read.
std::string job_id(const EncodeOptions& options, farm::FileHashes& hashes);

// The same without the part, and of samples of the input's bytes (farm::sample_hash()), because every part has it
// made. Parts of different inputs or options do not join. Throws as job_id().
std::string identity_of_whole(const EncodeOptions& options);

// Whether every process reads the same from the input: a file, numbered files, test, or lavfi:GRAPH.
bool is_repeatable(const std::string& input);

}  // namespace texcast::cli
