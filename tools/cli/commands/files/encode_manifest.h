// encode_manifest.h — `texcast encode --manifest`: lists what would be encoded, or does what such a list says; and
// `encode --store`, which does so at once.
#pragma once

#include "cli/options.h"
#include "farm/manifest.h"

namespace texcast::cli {

// With inputs, writes the manifest and encodes nothing. Without, does its jobs, or the share --part of them, goes on
// after failures, and names these at the end. Returns the exit code. Throws Error{usage}, Error{input}, NameTaken.
int encode_manifest(const EncodeOptions& options);

// Encodes the inputs by way of the store: encode_manifest() without the detour by a file.
int encode_to_store(const EncodeOptions& options);

// The jobs of this run of `encode`, with their ids, for which all inputs are read. Throws Error{usage}, Error{input}.
// After an interrupt it ends the process.
farm::Manifest manifest_of(const EncodeOptions& options);

}  // namespace texcast::cli
