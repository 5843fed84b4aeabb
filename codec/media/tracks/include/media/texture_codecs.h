// texture_codecs.h — a texture format's track in .mov and .mkv in FFmpeg's terms.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "media/ffmpeg.h"
#include "texcast/file_coding.h"
#include "texcast/format.h"

namespace texcast::media {

// FFmpeg's codec and FourCCs (in MKTAG's byte order) for a format's own track. Misuse for formats without one
// (TrackKind::none, planes).
struct TextureCodec {
  TextureFormat format;
  AVCodecID codec;
  uint32_t tag;
  uint32_t matroska_tag;  // 0: Matroska cannot hold it
  AVPixelFormat pixels;   // for AV_CODEC_ID_RAWVIDEO, whose packets are the raw bytes
  int depth;              // bits per pixel in the file's header, for readers that check it, or 0
  FileCoding coding = FileCoding::plain;
  int coding_version = 0;  // of a coded stream
};
TextureCodec codec_of(TextureFormat format);
std::optional<TextureCodec> codec_of_track(const AVCodecParameters& track);  // nothing: no format of texcast

// Why a coded stream's track cannot be read; nothing if it can, and for other tracks.
std::optional<std::string> why_not_compact(const AVCodecParameters& track);

// Whether `muxer`, "mov" or "matroska", takes plain textures of this format and width, in one track or one per plane.
bool has_track(const char* muxer, TextureFormat format, int width);

std::string fourcc_text(uint32_t tag);
std::string list_texture_fourccs();  // "Hap1, HapY, …"

}  // namespace texcast::media
