// manifest_file.cpp — manifests as files.
#include <fmt/core.h>

#include <span>
#include <string>
#include <utility>

#include "base/bytes.h"
#include "base/regular_file.h"
#include "farm/manifest.h"
#include "media/new_file.h"
#include "texcast/error.h"

namespace texcast::farm {

Manifest read_manifest(const std::string& path) {
  const auto text = read_regular_file(path, kLargestManifest);
  if (!text) throw Error(ErrorKind::input, fmt::format("cannot read jobs from '{}': {}", path, text.error().message));
  auto manifest = parse_manifest(*text);
  if (!manifest) throw Error(ErrorKind::usage, fmt::format("'{}': {}", path, manifest.error().message));
  return std::move(*manifest);
}

void write_manifest(const std::string& path, const Manifest& manifest, bool replace) {
  const std::string text = manifest_text(manifest);
  media::write_new_file(path, {std::as_bytes(std::span(text))}, replace);
}

}  // namespace texcast::farm
