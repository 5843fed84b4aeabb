// encode_manifest.h — `texcast encode --manifest`: lists what would be encoded, or does what such a list says.
#pragma once

#include "cli/options.h"

namespace texcast::cli {

// With inputs, writes the manifest and encodes nothing. Without, does its jobs, or the share --part of them, goes on
// after failures, and names these at the end. Returns the exit code. Throws Error{usage}, Error{input}, NameTaken.
int encode_manifest(const EncodeOptions& options);

}  // namespace texcast::cli
