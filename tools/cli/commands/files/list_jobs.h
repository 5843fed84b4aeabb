// list_jobs.h — the jobs of a run of `encode`, and the same in a manifest.
#pragma once

#include <vector>

#include "cli/options.h"
#include "farm/manifest.h"
#include "files/encode_job.h"

namespace texcast::cli {

// Lists what this run of `encode` would do: a job for each output file. All options are checked, and inputs are opened
// where the format or the parts depend on them. Throws Error{usage} for what is not one file to one file, Error{input}.
std::vector<EncodeJob> list_jobs(const EncodeOptions& options);

// Whether list_jobs() takes such a run, as far as its options and names tell.
bool has_jobs(const EncodeOptions& options);

// Its id is empty.
farm::ManifestJob manifest_job(const EncodeJob& job);

// The jobs of a manifest, with the device and the reports of the run. A job with wrong options has failed already.
std::vector<EncodeJob> jobs_of_manifest(const std::vector<farm::ManifestJob>& jobs, const EncodeOptions& run);

}  // namespace texcast::cli
