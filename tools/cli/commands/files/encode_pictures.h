// encode_pictures.h — `texcast encode` of many pictures in one process, each into a texture file of its own.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/options.h"
#include "files/encode_job.h"
#include "files/job_runner.h"
#include "files/picture_files.h"

namespace texcast::cli {

// The format of a picture's texture without --format: one with alpha, by the extension of the file.
TextureFormat usual_picture_format(const std::string& output);

// Encodes all files on several threads, goes on after failures, and prints a report. Returns the exit code: 0, or the
// kind of failure if all that failed have the same, else 1. Throws Error{usage} before anything is written if the
// options do not fit a file.
int encode_pictures(const EncodeOptions& options, const std::vector<PictureFile>& files);

// The jobs of encode_pictures(), those of the share --part, each with the options of its rule. Throws Error{usage} as
// that.
std::vector<EncodeJob> picture_jobs(const EncodeOptions& options, const std::vector<PictureFile>& files);
// Throws Error{usage} if the options do not fit the file.
void check_picture_job(const EncodeJob& job);
// Encodes them on several threads and goes on after failures, with one progress bar. `asked`: the options of the run.
void encode_picture_jobs(const EncodeOptions& asked, JobRunner& runner, std::span<EncodeJob* const> jobs);

}  // namespace texcast::cli
