#include <fmt/core.h>

#include <filesystem>

#include "base/ensure.h"
#include "base/error.h"
#include "container/still.h"
#include "media/files.h"
#include "media/texture_codecs.h"
#include "recorders.h"

namespace texcast::media {

namespace {

// Not every format goes everywhere.
void check_container(const std::string& path, const TextureDesc& texture) {
  const std::string extension = lower_extension(path);
  const auto kind = still_kind(path);
  if (kind && container::can_hold(*kind, texture.format)) return;
  if (const char* muxer = muxer_of(path); muxer && has_track(muxer, texture.format, texture.width)) return;
  throw Error(ErrorKind::usage,
              fmt::format("'{}': {} of {}x{} has no form in {}; record it to .dds, a file a frame, with a name such as "
                          "'{}'",
                          path, texcast::name(texture.format), texture.width, texture.height, extension,
                          std::filesystem::path(path).replace_extension().string() + "-%05d.dds"));
}

}  // namespace

std::unique_ptr<Recorder> make_recorder(const RecorderSettings& settings) {
  ENSURE(settings.fps > 0);
  const char* muxer = muxer_of(settings.path);
  if (muxer || still_kind(settings.path)) check_container(settings.path, settings.texture);
  if (muxer) return make_muxed_recorder(settings, muxer);
  if (still_kind(settings.path)) {
    RecorderSettings part = settings;
    part.path = part_name(settings.path, settings.first_part);
    return make_still_recorder(part);
  }
  throw Error(ErrorKind::usage, fmt::format("'{}': {} is recorded to .mov, .mkv, .dds or .ktx2", settings.path,
                                            texcast::name(settings.texture.format)));
}

}  // namespace texcast::media
