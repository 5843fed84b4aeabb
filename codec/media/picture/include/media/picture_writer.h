// picture_writer.h — writes decoded pictures in any format of FFmpeg: PNG, y4m, raw video, MP4 …
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

// Not thread-safe. Throws Error{failed} with the reason if the file cannot be written, Error{usage} for a second
// picture if the name is that of a single image.
class PictureWriter {
 public:
  virtual ~PictureWriter() = default;  // calls finish() if that was not called, and logs failures
  // `image` has the size and channels that the writer was made for (else misuse). Pictures are at least one tick apart:
  // `pts` that do not increase are moved.
  virtual void write(const DecodedImage& image, nanoseconds pts) = 0;
  virtual void finish() = 0;
  // The file that is written: the numbered name, not the requested one, if it was numbered. The pattern for a sequence.
  virtual const std::string& path() const = 0;
};

// Describes the output. The extension of `path` selects the format; `%05d` in the name makes an image sequence.
// Lossless, and in as many channels as the pictures have, if the format can do that; else without alpha. A .raw file
// has the pictures' channels, a .rgb file R G B.
struct PictureFile {
  std::string path{};
  int width = 0;  // pixels, of every picture
  int height = 0;
  double fps = 25;                          // nominal; 0: 25
  int channels = 3;                         // DecodedImage::channels of every picture
  SampleType samples = SampleType::unorm8;  // unorm8; unorm16; half, of three channels, only if takes_floats()
  PixelAspect aspect{};                     // a warning is logged if the format cannot store it
  IfExists if_exists = IfExists::refuse;    // applies to every file of a sequence
};

// Throws Error{usage} if FFmpeg has no format for the name, NameTaken according to `if_exists`, else Error{failed}.
std::unique_ptr<PictureWriter> make_picture_writer(const PictureFile& file);

// Whether a file of that name holds floats (.exr, .hdr, .pfm), which are linear light. Throws as make_picture_writer()
// does.
bool takes_floats(const std::string& path);

// Throws NameTaken if make_picture_writer() would because of `if_exists`. Can be called before the pictures are known.
void check_picture_name(const std::string& path, IfExists if_exists);

}  // namespace texcast::media
