// normal_options.h — one spelling for all options of `encode` that give the same output.
#pragma once

#include "cli/options.h"

namespace texcast::cli {

// The same options with those at their defaults that are given as what they are anyway, or have no effect on this
// output (as --snappy of a config file on a .ktx2). The options have passed the checks of `encode`, and name a format.
EncodeOptions normal_options(const EncodeOptions& options);

}  // namespace texcast::cli
