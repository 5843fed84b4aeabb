#include <fmt/core.h>

#include <filesystem>

#include "base/ensure.h"
#include "base/error.h"
#include "container/still.h"
#include "file_names.h"
#include "recorders.h"
#include "still_file.h"

namespace texcast::media {

namespace {

// What is received and not of our making does not go everywhere.
void check_container(const std::string& path, TextureFormat format) {
  const auto kind = still_kind(path);
  if (kind ? container::can_hold(*kind, format) : is_encoded(format)) return;
  throw Error(ErrorKind::usage,
              fmt::format("'{}': {} has no form in {}; record it to .dds, a file a frame, with a name such as "
                          "'{}'",
                          path, texcast::name(format), kind ? "KTX2" : "Hap, which .mov and .mkv hold",
                          std::filesystem::path(path).replace_extension().string() + "-%05d.dds"));
}

}  // namespace

std::unique_ptr<Recorder> make_recorder(const RecorderSettings& settings) {
  ENSURE(settings.fps > 0);
  const std::string extension = lower_extension(settings.path);
  if (extension == ".mov" || extension == ".mkv" || still_kind(settings.path))
    check_container(settings.path, settings.texture.format);
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
