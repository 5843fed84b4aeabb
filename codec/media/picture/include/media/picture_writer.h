// picture_writer.h — decoded pictures into anything FFmpeg writes: PNG, y4m, raw video, MP4 …
#pragma once

#include <memory>
#include <string>

#include "base/frame_times.h"
#include "texcast/image.h"

namespace texcast::media {

// By extension; `%05d` in the name makes an image sequence. Lossless, and in as many channels as the pictures have,
// where the output format can; else without alpha. A .raw file has the pictures' channels, a .rgb file R G B.
// Throws Error{failed} or Error{usage} as Recorder does. Not thread-safe.
class PictureWriter {
 public:
  virtual ~PictureWriter() = default;
  virtual void write(const DecodedImage& image, nanoseconds pts) = 0;
  virtual void finish() = 0;
};

std::unique_ptr<PictureWriter> make_picture_writer(const std::string& path, int width, int height, double fps,
                                                   int channels = 3);  // of all pictures, as DecodedImage::channels

}  // namespace texcast::media
