// frame_source.h — where frames come from: whatever FFmpeg opens or captures, and the built-in test card.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/frame_times.h"
#include "texcast/frame.h"
#include "texcast/frame_pool.h"

namespace texcast::media {

// A file or URL that FFmpeg opens; an image (one frame); "test" (moving card with a burnt-in frame number); "screen"
// (the X display); "lavfi:GRAPH"; "DEMUXER::DEVICE" such as "v4l2::/dev/video0".
struct SourceSettings {
  std::string input;
  bool alpha = false;   // wanted: inputs that have alpha come as RGBA or BGRA; else without, as directly as can be
  bool loop = false;    // start over at the end; time stamps go on rising
  nanoseconds start{};  // skip to this time first (files)
  // test, screen, devices: the rate asked for (default 60, for devices their own); files: frames are dropped or
  // repeated to it; an image with `loop`: how often it is shown (default 25).
  std::optional<double> fps{};
  // test, screen: the size asked for (default 1920x1080; the whole screen). Both or neither.
  std::optional<int> width{}, height{};
};

struct SourceFrame {
  FrameView view;    // valid until the next call of next(), and as long as an encoder has a share in it
  FrameTimes times;  // pts from 0; available = when the frame left the decoder
};

// Not thread-safe. Throws Error{input} with what to do when the input cannot be opened; a damaged frame later on is
// skipped and counted.
class FrameSource {
 public:
  virtual ~FrameSource() = default;
  virtual std::optional<SourceFrame> next() = 0;  // nothing at the end
  virtual FrameFormat format() const = 0;         // of every frame; pixel formats the kernels do not read
                                                  // have already gone through swscale
  virtual double fps() const = 0;                 // nominal; 0 for an image
  virtual bool is_live() const = 0;               // frames come in real time by themselves
  virtual bool is_image() const = 0;
  virtual std::optional<int64_t> frame_count() const = 0;  // when the container knows
  virtual int64_t damaged_frames() const = 0;
  // The frame with pts 0 on the file's own clock, which its audio tracks go by; nothing where there is no file, or an
  // image.
  virtual std::optional<nanoseconds> begin() const { return std::nullopt; }
  // Frames from now on lie in this pool of the encoder's where they can, so that submitting them copies nothing. Those
  // that were decoded before, or find the pool empty, lie elsewhere. Null changes nothing.
  virtual void decode_into(std::shared_ptr<FramePool> /*pool*/) {}
};

std::unique_ptr<FrameSource> open_source(const SourceSettings& settings);

}  // namespace texcast::media
