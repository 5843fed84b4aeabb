// compact_pictures.h — decodes packets of a coded stream to pictures, in the way of a decoder of FFmpeg, which has none
// for it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/workers.h"
#include "container/compact_frame.h"
#include "media/ffmpeg.h"
#include "texcast/format.h"
#include "texcast/image.h"

namespace texcast::media {

// Not thread-safe.
class CompactPictures {
 public:
  // The track must be one that codec_of_track() recognises as compact, with that format.
  CompactPictures(const AVCodecParameters& track, TextureFormat format);

  // Decodes the next packet into `frame`, which must be empty: full-range gray or RGB, the latter with alpha if the
  // texture has it. Returns an empty string, or the damage: then there is no picture.
  std::string decode(const AVPacket& packet, AVFrame& frame);
  // Call it after a seek: the next packet is a key frame.
  void restart() { has_before_ = false; }

 private:
  void fill(AVFrame& frame) const;

  const TextureDesc texture_;
  const AVCodecParameters& track_;
  Workers workers_;
  container::CompactFrameReader reader_;
  std::vector<std::byte> before_, blocks_;
  bool has_before_ = false;
  DecodedImage image_;
};

}  // namespace texcast::media
