// encode_words.h — the options of a texture as words of a command line, as manifests hold them.
#pragma once

#include <string>
#include <vector>

#include "cli/options.h"

namespace texcast::cli {

// The options of `encode` that decide what is in the output, without input, output and part: those that differ from the
// defaults, and the format, always in the same order and spelling. Paths, devices and reports are not among them.
std::vector<std::string> encode_words(const EncodeOptions& options);

// The options that such words stand for, all others at their defaults. Throws Error{usage} for an unknown word, and for
// options of a whole run, as --device.
EncodeOptions encode_options_of(const std::vector<std::string>& words);

}  // namespace texcast::cli
