// assemble.h — cube maps and arrays, whose images come from several pictures.
#pragma once

#include "cli/options.h"

namespace texcast::cli {

// `encode --cube` and `encode --array`: encodes the first frame of each input, with its mip levels, into one file.
// Throws Error{usage} for numbers and sizes of pictures that do not fit together; nothing is written then.
int encode_assembled(const EncodeOptions& options);

}  // namespace texcast::cli
