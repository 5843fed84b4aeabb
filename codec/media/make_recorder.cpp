#include <fmt/core.h>

#include "base/ensure.h"
#include "base/error.h"
#include "file_names.h"
#include "recorders.h"
#include "still_file.h"

namespace texcast::media {

std::unique_ptr<Recorder> make_recorder(const RecorderSettings& settings) {
  ENSURE(settings.fps > 0);
  const std::string extension = lower_extension(settings.path);
  if (extension == ".mov") return make_muxed_recorder(settings, "mov");
  if (extension == ".mkv") return make_muxed_recorder(settings, "matroska");
  if (still_kind(settings.path)) {
    RecorderSettings part = settings;
    part.path = part_name(settings.path, settings.first_part);
    return make_still_recorder(part);
  }
  throw Error(ErrorKind::usage, fmt::format("'{}': {} is recorded to .mov, .mkv, .dds or .ktx2", settings.path,
                                            texcast::name(settings.texture.format)));
}

}  // namespace texcast::media
