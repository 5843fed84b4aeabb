#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <utility>

#include "base/ensure.h"
#include "compact/tile_grid.h"
#include "container/hap_frame.h"
#include "container/still.h"
#include "media/ffmpeg.h"
#include "media/files.h"
#include "media/picture_tracks.h"
#include "media/texture_codecs.h"
#include "recorders.h"
#include "texcast/error.h"

namespace texcast::media {

namespace {

void check_compact(const std::string& path, const TextureDesc& texture) {
  const char* const muxer = muxer_of(path);
  if (muxer == nullptr || std::string_view(muxer) != "matroska")
    throw Error(ErrorKind::usage,
                fmt::format("'{}': coded streams can only be recorded to .mkv; name the file '{}', or record without "
                            "--coding compact",
                            path, std::filesystem::path(path).replace_extension(".mkv").string()));
  if (!compact::TileGrid::can_cut(texture.format))
    throw Error(ErrorKind::usage,
                fmt::format("'{}': {} cannot be recorded as a coded stream; record it without --coding compact", path,
                            texcast::name(texture.format)));
}

// Hap frames need headers of four bytes, because FFmpeg and other players read no others.
void check_hap_size(const RecorderSettings& settings) {
  if (muxer_of(settings.path) == nullptr) return;
  const TextureDesc& texture = settings.texture;
  const auto tracks = picture_tracks(texture, settings.coding, settings.lossy || settings.keeps_lossy,
                                     settings.transform || settings.keeps_transform);
  const bool fits = std::ranges::all_of(tracks, [](const PictureTrack& track) {
    return !track.images || container::has_short_hap_headers(*track.images);
  });
  if (!fits)
    throw Error(
        ErrorKind::usage,
        fmt::format("'{}': frames of {} must be below 16 MiB, as players refuse larger ones; {}x{} is too large",
                    settings.path, texcast::name(texture.format), texture.width, texture.height));
}

void check_lossy(const RecorderSettings& settings) {
  ENSURE(settings.coding == FileCoding::compact);
  if (!compact::TileGrid::can_be_lossy(settings.texture.format))
    throw Error(
        ErrorKind::usage,
        fmt::format("'{}': {} cannot be recorded lossy; choose bc1, bc3, bc4, bc5 or ycocg-bc4, or leave out --crf",
                    settings.path, texcast::name(settings.texture.format)));
  ENSURE(!settings.transform || compact::TileGrid::can_have_transform(settings.texture.format));
}

// Not every container can hold every format.
void check_container(const std::string& path, const TextureDesc& texture) {
  const std::string extension = lower_extension(path);
  const auto kind = still_kind(path);
  if (kind && container::can_hold(*kind, texture.format)) return;
  if (const char* muxer = muxer_of(path); muxer && has_track(muxer, texture.format, texture.width)) return;
  if (kind == container::StillKind::astc)
    throw Error(ErrorKind::usage,
                fmt::format("'{}': .astc cannot hold {}, only {}; record it to .dds or .ktx2, or choose another format "
                            "(--format)",
                            path, texcast::name(texture.format), container::list_formats_of(*kind)));
  throw Error(
      ErrorKind::usage,
      fmt::format(
          "'{}': {} of {}x{} cannot be stored in {}; record it to .dds, one file per frame, with a name such as "
          "'{}'",
          path, texcast::name(texture.format), texture.width, texture.height, extension,
          std::filesystem::path(path).replace_extension().string() + "-%05d.dds"));
}

}  // namespace

NextName::NextName(RecorderSettings& settings, size_t part)
    : rule(part > 1 && settings.if_exists == IfExists::refuse ? IfExists::number : settings.if_exists),
      claim(std::exchange(settings.claim, nullptr)) {
  const auto is_read = [&](const OutputClaim& one) {
    std::error_code ignored;
    return !settings.never_replaced.empty() &&
           std::filesystem::equivalent(one.path(), settings.never_replaced, ignored);
  };
  while (!claim) {
    try {
      claim = OutputClaim::take(settings.path, rule, part);
    } catch (const NameTaken&) {  // with overwrite: it is being recorded
      if (part == 1) throw;
    }
    if (claim && is_read(*claim)) claim = nullptr;
    if (!claim) ++part;
  }
}

RecorderProgress progress_of(const RecorderReport& report, int64_t bytes) {
  return {.bytes = bytes, .disk = report.write.wall - report.write.cpu, .work = report.pack.wall + report.write.cpu};
}

void throw_recording_full(const RecorderSettings& settings, int64_t bytes) {
  throw RecordingFull(fmt::format(
      "the recording '{}' has {:.1f} MB and reached its limit of {:.1f} MB (--max-disk): it was closed and is playable",
      settings.path, static_cast<double>(bytes) / 1e6, static_cast<double>(settings.most_bytes) / 1e6));
}

void Recorder::add_levels(std::span<const TextureView> smaller) {
  if (!smaller.empty()) throw Error(ErrorKind::usage, "only .dds and .ktx2 can hold mip levels");
}

void check_recordable(const std::string& path) {
  if (muxer_of(path) || still_kind(path)) return;
  throw Error(ErrorKind::usage,
              fmt::format("'{}': textures can be recorded to .mov, .mkv, .dds, .ktx2 or .astc", path));
}

bool takes_sound(const std::string& path) { return muxer_of(path) != nullptr || lower_extension(path) == ".nut"; }

void check_holds(const RecorderSettings& settings) {
  if (settings.coding == FileCoding::compact)
    check_compact(settings.path, settings.texture);
  else if (muxer_of(settings.path) || still_kind(settings.path))
    check_container(settings.path, settings.texture);
  if (settings.lossy) check_lossy(settings);
  if (!muxer_of(settings.path) && !still_kind(settings.path))
    throw Error(ErrorKind::usage, fmt::format("'{}': {} can be recorded to .mov, .mkv, .dds, .ktx2 or .astc",
                                              settings.path, texcast::name(settings.texture.format)));
  check_hap_size(settings);
}

bool holds_one_image(const std::string& path) { return still_kind(path) && !numbered_name(path, 0); }

std::string one_image_text(const std::string& path) {
  return fmt::format(
      "'{}' can hold only one image: put %05d in the name for a numbered sequence, or take one frame "
      "(--frames 1)",
      path);
}

void load_for_recording(const std::string& path) {
  if (muxer_of(path) != nullptr) set_up_ffmpeg();
}

std::unique_ptr<Recorder> make_recorder(const RecorderSettings& settings) {
  ENSURE(settings.fps > 0);
  check_holds(settings);
  if (const char* muxer = muxer_of(settings.path)) return make_muxed_recorder(settings, muxer);
  return make_still_recorder(settings);
}

}  // namespace texcast::media
