#include <fmt/core.h>

#include "base/ensure.h"
#include "base/error.h"
#include "container/dds.h"
#include "file_names.h"
#include "recorders.h"

namespace texcast::media {

std::unique_ptr<Recorder> make_recorder(const RecorderSettings& settings) {
  ENSURE(settings.fps > 0);
  const std::string extension = lower_extension(settings.path);
  if (extension == ".mov") return make_muxed_recorder(settings, "mov");
  if (extension == ".mkv") return make_muxed_recorder(settings, "matroska");
  if (extension == ".dds" && container::dds_can_hold(settings.texture.format)) return make_dds_recorder(settings);
  const char* fitting = container::dds_can_hold(settings.texture.format) ? ".mov, .mkv or .dds" : ".mov or .mkv";
  throw Error(ErrorKind::usage,
              fmt::format("'{}': {} is recorded to {}", settings.path, name(settings.texture.format), fitting));
}

}  // namespace texcast::media
