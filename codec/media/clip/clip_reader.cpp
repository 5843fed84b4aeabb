#include <fmt/core.h>

#include "base/log.h"
#include "clips.h"
#include "media/clip_track.h"
#include "media/files.h"
#include "media/recording_state.h"
#include "texcast/error.h"

namespace texcast::media {
namespace {

// For a recording that was never closed, the message says so instead of repeating FFmpeg's error.
std::unique_ptr<ClipReader> open_recording(const std::string& path) {
  try {
    auto clip = open_muxed_clip(path);
    if (clip->info().container == "matroska" && recording_state(path) == RecordingState::cut_off)
      log_warning("{}: {}", path, *advice_for(path));
    return clip;
  } catch (const Error&) {
    if (const auto advice = advice_for(path))
      throw Error(ErrorKind::input, fmt::format("cannot open '{}': {}", path, *advice));
    throw;
  }
}

}  // namespace

std::unique_ptr<ClipReader> open_clip(const std::string& path, const StillPart& part) {
  if (still_kind(path)) return open_still_clip(path, part);
  if (part != StillPart{})
    throw Error(ErrorKind::usage, fmt::format("'{}': only .dds and .ktx2 have levels, layers and faces", path));
  return open_recording(path);
}

bool is_clip(const std::string& path) { return still_kind(path) ? is_still_clip(path) : is_muxed_clip(path); }

void ClipReader::each_image(const StoredFrame& stored, const container::TakeImage& take) {
  const TextureDesc& texture = info().texture;
  blocks_.resize(texture_layout(texture).total_bytes);
  const auto unpacked = unpack(stored, blocks_);
  take({}, unpacked ? Result<TextureView>(TextureView{texture, blocks_}) : unpacked.error());
}

Result<std::optional<ClipFrame>> ClipReader::next() {
  const auto stored = next_stored();
  if (!stored) return stored.error();
  if (!*stored) return std::optional<ClipFrame>();
  const TextureDesc& texture = info().texture;
  blocks_.resize(texture_layout(texture).total_bytes);
  if (const auto unpacked = unpack(**stored, blocks_); !unpacked) return unpacked.error();
  return std::optional(ClipFrame{.texture = {texture, blocks_},
                                 .pts = (*stored)->pts,
                                 .number = (*stored)->number,
                                 .stored_bytes = (*stored)->stored_bytes});
}

}  // namespace texcast::media
