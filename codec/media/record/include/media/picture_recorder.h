// picture_recorder.h — writes pictures as raw video, with their sound as PCM, into a pipe: NUT, which `ffmpeg -i -` and
// players recognise by themselves, and which loses nothing.
//
// Example:
//     PictureRecorder recorder({.pipe = pipe, .width = 1920, .height = 1080, .fps = 60, .sound = sound});
//     sound->put(time, samples);       // as they come
//     recorder.write(image, time);     // writes the sound up to that time first
//     recorder.finish();
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "media/pipe_output.h"
#include "media/recorded_sound.h"
#include "texcast/frame_times.h"
#include "texcast/image.h"
#include "texcast/shape.h"

namespace texcast::media {

class MuxedOutput;

struct PictureRecorderSettings {
  PipePtr pipe;
  int width = 0;  // pixels, of every picture
  int height = 0;
  int channels = 3;                         // DecodedImage::channels of every picture; two get blue 0
  SampleType samples = SampleType::unorm8;  // unorm8 or unorm16: NUT has no floats
  PixelAspect aspect{};
  double fps = 60;                         // nominal, more than 0
  std::shared_ptr<RecordedSound> sound{};  // null: none
};

// Not thread-safe. Throws Error{failed}, and ReaderGone once nobody reads the pipe.
class PictureRecorder {
 public:
  explicit PictureRecorder(const PictureRecorderSettings& settings);
  ~PictureRecorder();
  PictureRecorder(const PictureRecorder&) = delete;
  PictureRecorder& operator=(const PictureRecorder&) = delete;

  // The reader has the picture when this returns, or the system holds it for the reader. Times begin at 0.
  void write(const DecodedImage& image, nanoseconds time);
  int64_t bytes() const;  // written so far
  int64_t finish();       // writes the rest of the sound; returns bytes()

 private:
  const PictureRecorderSettings settings_;
  std::unique_ptr<MuxedOutput> output_;
  int track_ = 0;
  nanoseconds end_{};         // of the latest picture
  std::vector<uint8_t> rgb_;  // of pictures of two channels
};

}  // namespace texcast::media
