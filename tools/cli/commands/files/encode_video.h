// encode_video.h — `texcast encode` of one input, as a job of a batch.
#pragma once

#include <optional>
#include <vector>

#include "cli/options.h"
#include "files/encode_job.h"
#include "files/picture_files.h"

namespace texcast::cli {

// Encodes a video, or a picture, on this thread, with a progress bar, and fills in the job's results. Throws Error.
void encode_video_job(EncodeJob& job);

// Gives the options the format that the input has without --format, and opens the input for that if it must. Throws
// Error{usage} for options that do not fit together or do not fit the input, as far as that is known before its frames
// are read.
void check_video_job(EncodeOptions& options);

// The pictures that `encode` encodes with several threads; nothing if it encodes one input by encode_video_job().
// Throws Error{usage}, Error{input}.
std::optional<std::vector<PictureFile>> pictures_of(const EncodeOptions& options);

// The largest number of parts, up to `wanted`, that `encode --part` can make of the video. Checks the options as
// `encode` does, and opens the input. Throws Error{usage} or Error{input} for what `encode` would refuse.
int possible_parts(const EncodeOptions& options, int wanted);

}  // namespace texcast::cli
