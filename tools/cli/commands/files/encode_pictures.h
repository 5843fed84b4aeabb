// encode_pictures.h — `texcast encode` of many pictures in one process, each into a texture file of its own.
#pragma once

#include <string>
#include <vector>

#include "cli/options.h"
#include "files/picture_files.h"

namespace texcast::cli {

// The format of a picture's texture without --format: one with alpha, by the extension of the file.
TextureFormat usual_picture_format(const std::string& output);

// Encodes all files on several threads, goes on after failures, and prints a report. Returns the exit code: 0, or the
// kind of failure if all that failed have the same, else 1. Throws Error{usage} before anything is written if the
// options do not fit a file.
int encode_pictures(const EncodeOptions& options, const std::vector<PictureFile>& files);

}  // namespace texcast::cli
