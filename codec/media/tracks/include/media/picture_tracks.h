// picture_tracks.h — the tracks of a .mov or .mkv that hold one picture: one, or for plain YCoCg-BC4 three of Hap
// Alpha-Only with names that identify them. docs/format.md, "YCoCg-BC4 in recordings".
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "container/hap_frame.h"
#include "media/ffmpeg.h"
#include "texcast/file_coding.h"
#include "texcast/format.h"

namespace texcast::media {

struct PictureTrack {
  AVCodecID codec = AV_CODEC_ID_NONE;
  uint32_t tag = 0;  // FourCC
  uint32_t matroska_tag = 0;
  AVPixelFormat pixels = AV_PIX_FMT_NONE;  // for raw video
  int depth = 0;                           // bits per pixel, or 0
  int width = 0;                           // texels
  int height = 0;
  std::optional<container::HapImages> images{};  // else the packets are the raw bytes
  size_t offset = 0;                             // bytes from the start of the picture's blocks
  size_t bytes = 0;
  std::string name;  // of the track in the file; none if its FourCC is sufficient
  FileCoding coding = FileCoding::plain;
  std::vector<std::byte> setup{};  // for a coded stream: the codec data of the track (container/compact_frame.h)
};

// In the order of their blocks. `lossy`: a coded stream may have lossy slices; `transform`: transform slices too.
std::vector<PictureTrack> picture_tracks(const TextureDesc& picture, FileCoding coding = FileCoding::plain,
                                         bool lossy = false, bool transform = false);

// Three tracks of a file that are one picture of YCoCg-BC4.
struct PlaneTracks {
  TextureFormat format{};
  std::array<int, 3> streams{};  // Y, Co, Cg
};
// Finds them by their names, FourCCs and sizes; nothing if one of them is missing or differs from picture_tracks().
std::optional<PlaneTracks> find_plane_tracks(const AVFormatContext& input);

}  // namespace texcast::media
