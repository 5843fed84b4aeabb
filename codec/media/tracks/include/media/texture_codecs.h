// texture_codecs.h — which FourCC and FFmpeg codec a texture format has in .mov and .mkv.
#pragma once

#include <cstdint>
#include <string>

#include "media/ffmpeg.h"
#include "texcast/format.h"

namespace texcast::media {

struct TextureCodec {
  TextureFormat format;
  uint32_t tag;  // as MKTAG makes it
  AVCodecID codec;
  const char* name;  // for a person
  // Of what is not compressed (AV_CODEC_ID_RAWVIDEO), whose packets are the bytes as they are:
  AVPixelFormat pixels = AV_PIX_FMT_NONE;
  int depth = 0;                // bits a pixel in the file's header, where a reader asks
  uint32_t matroska_tag = tag;  // its FourCC there; 0: Matroska does not hold it
};

const TextureCodec& codec_of(TextureFormat format);
const TextureCodec* codec_of_track(const AVCodecParameters& track);  // nullptr: none of ours
// Whether `muxer`, "mov" or "matroska", takes textures of this format and width: nullptr where it does not.
const TextureCodec* codec_in(const char* muxer, TextureFormat format, int width);
std::string fourcc_text(uint32_t tag);
std::string list_texture_fourccs();  // "Hap1, HapY, …"

}  // namespace texcast::media
