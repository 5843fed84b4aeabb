// compact_pictures.h — packets of compact frames to pictures, as a decoder of FFmpeg's would give them: it has none.
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
  // Of a track that codec_of_track() knows as compact, with that format.
  CompactPictures(const AVCodecParameters& track, TextureFormat format);

  // The next packet into `frame`, which is empty before: full-range gray or RGB, the latter with alpha where the
  // texture has it. Empty, or what is damaged: then there is no picture.
  std::string decode(const AVPacket& packet, AVFrame& frame);
  // The next packet is one after a seek: a key frame.
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
