// picture_writer.h — writes decoded pictures in any format of FFmpeg: PNG, y4m, raw video, MP4 …
//
// Example:
//     const auto writer = make_picture_writer({.path = "f-%05d.png", .width = image.width, .height = image.height});
//     writer->write(image, pts);  // … for every picture
//     writer->finish();
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "media/pipe_output.h"
#include "texcast/frame_times.h"
#include "texcast/if_exists.h"
#include "texcast/image.h"

namespace texcast::media {

// Not thread-safe. Throws Error{failed} with the reason if the file cannot be written, ReaderGone for a pipe without a
// reader, and Error{usage} for a second picture if the name is that of a single image. Then no file remains that was
// not there before, except for the images of a sequence that are complete.
class PictureWriter {
 public:
  // Calls finish() if that was not called, and logs failures.
  virtual ~PictureWriter() = default;
  // `image` has the size and channels that the writer was made for (else misuse). Pictures are at least one tick apart:
  // `pts` that do not increase are moved.
  virtual void write(const DecodedImage& image, nanoseconds pts) = 0;
  // Completes the file. A file is created by the first picture, so that there is none if no picture came; that of a
  // single image has its picture from here on.
  virtual void finish() = 0;
  // The bytes that were written so far; after finish() all of them.
  virtual int64_t bytes() const = 0;
  // The file that is written: the numbered name, not the requested one, if it was numbered. The pattern for a sequence.
  virtual const std::string& path() const = 0;
};

// Describes the output. The extension of `path` selects the format; `%05d` in the name makes an image sequence.
// Lossless, and in as many channels as the pictures have, if the format can do that; else without alpha. A .raw file
// has the pictures' channels, a .rgb file R G B. .y4m is YUV 4:4:4, with 16 bits for pictures of 16.
struct PictureFile {
  std::string path{};
  int width = 0;  // pixels, of every picture
  int height = 0;
  double fps = 25;                          // nominal; 0: 25
  int channels = 3;                         // DecodedImage::channels of every picture
  SampleType samples = SampleType::unorm8;  // unorm8; unorm16; half, of three channels, only if takes_floats()
  PixelAspect aspect{};                     // a warning is logged if the format cannot store it
  IfExists if_exists = IfExists::refuse;    // applies to every file of a sequence
  // Not null: written to instead of a file, and its name is used in place of `path`. .nut is raw video there and .mkv
  // FFV1, both lossless; images follow one another.
  PipePtr pipe{};
};

// Throws Error{usage} if FFmpeg has no format for the name, NameTaken according to `if_exists`, else Error{failed}.
std::unique_ptr<PictureWriter> make_picture_writer(const PictureFile& file);

// Whether a file of that name holds floats (.exr, .pfm), which are linear light. Throws as make_picture_writer()
// does.
bool takes_floats(const std::string& path);

// Throws NameTaken if make_picture_writer() would because of `if_exists`. Can be called before the pictures are known.
void check_picture_name(const std::string& path, IfExists if_exists);

}  // namespace texcast::media
