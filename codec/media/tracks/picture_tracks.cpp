#include "media/picture_tracks.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/ensure.h"
#include "container/compact_frame.h"
#include "media/texture_codecs.h"

namespace texcast::media {
namespace {

constexpr std::array<const char*, 3> kPlanes = {"Y", "Co", "Cg"};

std::string plane_name(TextureFormat format, size_t plane) {
  return "texcast " + std::string(name(format)) + " " + kPlanes[plane];
}

PictureTrack track_of(const TextureDesc& texture, size_t offset, std::string name) {
  const TextureCodec codec = codec_of(texture.format);
  PictureTrack track{.codec = codec.codec,
                     .tag = codec.tag,
                     .matroska_tag = codec.matroska_tag,
                     .pixels = codec.pixels,
                     .depth = codec.depth,
                     .width = texture.width,
                     .height = texture.height,
                     .offset = offset,
                     .bytes = texture_layout(texture).total_bytes,
                     .name = std::move(name)};
  if (codec.codec == AV_CODEC_ID_HAP) track.images = container::hap_images(texture);
  return track;
}

// All planes in one track, of a codec that FFmpeg does not know.
PictureTrack compact_track_of(const TextureDesc& texture, bool lossy, bool transform) {
  return {.tag = fourcc(container::kCompactTag),
          .matroska_tag = fourcc(container::kCompactTag),
          .width = texture.width,
          .height = texture.height,
          .bytes = texture_layout(texture).total_bytes,
          .name = {},
          .coding = FileCoding::compact,
          .setup = container::write_compact_setup(texture, lossy, transform)};
}

// The format with one plane that has exactly this coding.
TextureFormat format_of_plane(const FormatPlane& plane) {
  const auto found = std::ranges::find_if(formats(), [&](const Format& row) {
    return row.is_plain && row.plane_count == 1 && row.planes[0].coding == plane.coding;
  });
  ENSURE(found != formats().end());
  return found->id;
}

// The handler's name survives remuxing from either container to the other; Matroska's own name is its title.
bool is_called(const AVStream& stream, const std::string& wanted) {
  for (const char* key : {"handler_name", "title"}) {
    const AVDictionaryEntry* entry = av_dict_get(stream.metadata, key, nullptr, 0);
    if (entry != nullptr && wanted == entry->value) return true;
  }
  return false;
}

int stream_called(const AVFormatContext& input, const std::string& wanted) {
  for (unsigned i = 0; i < input.nb_streams; ++i)
    if (is_called(*input.streams[i], wanted)) return static_cast<int>(i);
  return -1;
}

bool holds(const AVCodecParameters& p, const PictureTrack& track) {
  return p.codec_type == AVMEDIA_TYPE_VIDEO && p.codec_tag == track.tag && p.width == track.width &&
         p.height == track.height;
}

bool is_size(const AVCodecParameters& p) {
  return p.width >= 1 && p.height >= 1 && p.width <= kMaxFrameSize && p.height <= kMaxFrameSize;
}

}  // namespace

std::vector<PictureTrack> picture_tracks(const TextureDesc& picture, FileCoding coding, bool lossy, bool transform) {
  if (coding == FileCoding::compact) return {compact_track_of(picture, lossy, transform)};
  const Format& format = format_row(picture.format);
  if (format.track.kind != TrackKind::planes) return {track_of(picture, 0, {})};
  const TextureLayout layout = texture_layout(picture);
  std::vector<PictureTrack> tracks;
  for (size_t p = 0; p < kPlanes.size(); ++p) {
    const PlaneLayout& plane = layout.planes[p];
    const TextureDesc texture{
        .format = format_of_plane(format.planes[p]), .width = plane.width, .height = plane.height};
    tracks.push_back(track_of(texture, plane.offset, plane_name(picture.format, p)));
  }
  return tracks;
}

std::optional<PlaneTracks> find_plane_tracks(const AVFormatContext& input) {
  for (const Format& row : formats()) {
    if (row.track.kind != TrackKind::planes) continue;
    const TextureFormat format = row.id;
    PlaneTracks found{.format = format};
    for (size_t p = 0; p < kPlanes.size(); ++p) found.streams[p] = stream_called(input, plane_name(format, p));
    if (std::ranges::min(found.streams) < 0) continue;
    const AVCodecParameters& luma = *input.streams[found.streams[0]]->codecpar;
    if (!is_size(luma)) continue;
    const auto tracks = picture_tracks({.format = format, .width = luma.width, .height = luma.height});
    bool whole = true;
    for (size_t p = 0; p < kPlanes.size(); ++p)
      whole = whole && holds(*input.streams[found.streams[p]]->codecpar, tracks[p]);
    if (whole) return found;
  }
  return std::nullopt;
}

}  // namespace texcast::media
