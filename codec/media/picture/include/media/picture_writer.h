// picture_writer.h — decoded pictures into anything FFmpeg writes: PNG, y4m, raw video, MP4 …
//
// Example:
//     const auto writer = make_picture_writer({.path = "f-%05d.png", .width = image.width, .height = image.height});
//     writer->write(image, pts);  // … for every picture
//     writer->finish();
#pragma once

#include <memory>
#include <string>

#include "texcast/frame_times.h"
#include "texcast/if_exists.h"
#include "texcast/image.h"

namespace texcast::media {

// Not thread-safe. Throws Error{failed} with the reason where the file cannot be written, Error{usage} for a second
// picture where the name is one image's.
class PictureWriter {
 public:
  virtual ~PictureWriter() = default;  // finishes, if finish() was not called, and logs what goes wrong then
  // `image` has the size and channels that the writer was made for (else misuse). Pictures are one tick apart at least:
  // `pts` that do not rise are moved.
  virtual void write(const DecodedImage& image, nanoseconds pts) = 0;
  virtual void finish() = 0;
  // The file that is written: where it is numbered on, not the one that was asked for. Of a sequence the pattern.
  virtual const std::string& path() const = 0;
};

// What is written. The extension of `path` says the format; `%05d` in the name makes an image sequence. Lossless, and
// in as many channels as the pictures have, where the format can; else without alpha. A .raw file has the pictures'
// channels, a .rgb file R G B.
struct PictureFile {
  std::string path{};
  int width = 0;  // pixels, of every picture
  int height = 0;
  double fps = 25;                          // nominal; 0: 25
  int channels = 3;                         // DecodedImage::channels of every picture
  SampleType samples = SampleType::unorm8;  // unorm8; unorm16; half, of three channels, where takes_floats()
  PixelAspect aspect{};                     // where the format has no place for it a warning says so
  IfExists if_exists = IfExists::refuse;    // holds for every file of a sequence
};

// Throws Error{usage} for a name that says no format FFmpeg writes, NameTaken as `if_exists` says, else Error{failed}.
std::unique_ptr<PictureWriter> make_picture_writer(const PictureFile& file);

// Whether a file of that name holds floats: .exr, .hdr, .pfm. Those are linear light. Throws as make_picture_writer.
bool takes_floats(const std::string& path);

// Throws NameTaken, before anything of the pictures is known, where make_picture_writer would because of `if_exists`.
void check_picture_name(const std::string& path, IfExists if_exists);

}  // namespace texcast::media
