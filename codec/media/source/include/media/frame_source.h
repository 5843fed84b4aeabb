// frame_source.h — where frames come from: whatever FFmpeg opens or captures, and the built-in test card.
//
// Example:
//     const auto source = open_source({.input = "clip.mp4", .loop = true});
//     while (const auto frame = source->next()) encoder->submit(frame->view, frame->times);
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "screen/screen_capture.h"
#include "texcast/frame.h"
#include "texcast/frame_pool.h"
#include "texcast/frame_times.h"

namespace texcast::media {

// What becomes of interlaced frames, of which each holds the odd rows of one moment and the even rows of another.
enum class Deinterlace : uint8_t {
  automatic,  // they become one whole picture each; frames that are not interlaced stay as they are
  on,         // all frames are taken for interlaced
  off,        // they stay as they are, with a warning
};

// How pictures are meant to be seen, where the input is not to be believed.
struct PictureSettings {
  std::optional<int> rotate{};          // degrees clockwise: 0, 90, 180, 270; unset: as the input says
  std::optional<PixelAspect> aspect{};  // width : height of the whole picture as it is shown; unset: as the input says
  Deinterlace deinterlace = Deinterlace::automatic;
};

// A file or URL that FFmpeg opens; an image (one frame); "test" (moving card with a burnt-in frame number); "screen"
// (the desktop), "screen:MONITOR", "screen:WxH+X+Y", "window:TITLE"; "lavfi:GRAPH"; "DEMUXER::DEVICE" such as
// "v4l2::/dev/video0".
struct SourceSettings {
  std::string input;
  bool alpha =
      false;  // true: an input with alpha comes as RGBA or BGRA; false: without, in the format it has if it can
  // true: PQ and HLG (BT.2100) come as rgba_half, linear light; false: as they are. Files of floats always do.
  bool half = false;
  bool loop = false;    // start over at the end; time stamps go on rising
  nanoseconds start{};  // skip to this time first (files)
  // Frames a second, more than 0 and up to 1000. test, devices: the rate asked for (default 60; devices: their own).
  // screen: at most so many (default 60), fewer where less changes. Files: frames are dropped or repeated to this rate.
  // An image with `loop`: how often it is shown (default 25).
  std::optional<double> fps{};
  // Pixels. test: the size asked for (default 1920x1080). screen: so much of its upper left part (default: all). Both
  // or neither.
  std::optional<int> width{}, height{};
  PictureSettings picture{};
  // screens and windows:
  screen::CursorMode cursor = screen::CursorMode::picture;
  // Gives up waiting for a person who is asked which screen to share, once set; null: never.
  const std::atomic<bool>* stop = nullptr;
  // Whoever takes the frames goes on with another size. Else they are fitted into that of the first, with black.
  bool follows_changes = false;
};

struct SourceFrame {
  // The source's memory: valid until the next call of next(), and as long as an encoder has a share in it. `changed`,
  // where it is not empty, is against the frame that next() gave before (see skipped()).
  FrameView view;
  FrameTimes times;  // pts, from 0, and available (when the frame left the decoder); the rest is zero
  // Where the frame is in the input, from its first one: jumps back where a loop starts over, while pts goes on.
  nanoseconds place{};
};

// Frames come upright and without fields of two moments, as far as the input tells; the shape of their pixels is
// format().aspect. Frames that change their size or the shape of their pixels are fitted into that of the first one,
// with black beside them, and a warning says so; with SourceSettings::follows_changes those of screens come as they
// are: a frame whose view.format differs from that of the frame before begins anew.
//
// Not thread-safe: one thread at a time. Damaged frames are skipped and counted. Error{input} is thrown only where
// frames change to a pixel format that swscale cannot read, or a loop cannot open the input again.
class FrameSource {
 public:
  virtual ~FrameSource() = default;
  // The next frame, for which a live source waits; nothing at the end.
  virtual std::optional<SourceFrame> next() = 0;
  // Of every frame up to a change, which live screens may have: one that the kernels read. What comes otherwise goes
  // through swscale. After a change: of the frame that next() gave last.
  virtual FrameFormat format() const = 0;
  virtual double fps() const = 0;    // nominal; 0 for an image
  virtual bool is_live() const = 0;  // frames come in real time by themselves
  virtual bool is_image() const = 0;
  virtual std::optional<int64_t> frame_count() const = 0;  // when the container knows
  // That could not be read so far: damaged ones, which were skipped, and those that the input says it has behind its
  // end. The latter are known once next() has given nothing.
  virtual int64_t damaged_frames() const = 0;
  virtual std::string first_damage() const { return {}; }  // what was wrong with the first of them
  // When the frame with pts 0 is on the file's own clock, which its audio tracks share (AudioSource::begin). Nothing
  // for images and for what is no file.
  virtual std::optional<nanoseconds> begin() const { return std::nullopt; }
  // Frames from now on are put into this pool of an encoder where that is possible, so that submitting them copies
  // nothing. Frames that were decoded before, or while the pool has none free, lie elsewhere. Null, and a pool of
  // another format than format(), change nothing.
  virtual void decode_into(std::shared_ptr<FramePool> /*pool*/) {}
  // The next frame is the one at that place in the input, or one shortly before it. The pts of frames go on rising by
  // themselves. False where this input cannot seek, and then nothing has changed.
  virtual bool seek(nanoseconds /*place*/) { return false; }
  // The frame that next() gave last was not submitted to the encoder: FrameView::changed of the next one is then
  // against the last one that was.
  virtual void skipped() {}
  // From any thread: another frame is wanted soon even if it shows nothing new. What gives frames by itself does not
  // care.
  virtual void want_frame() {}
  // Of screens with CursorMode::overlay: `call` is told where the pointer is, whenever that changes and without a frame
  // being given for it, from within next(). To be set before the first next().
  virtual void on_cursor(const std::function<void(const Cursor&, WallTime captured)>& /*call*/) {}
};

// Opens the input and decodes its first frame. Throws Error{input} with what to do when that fails, Error{usage} for a
// rate or a size of the test card out of range.
std::unique_ptr<FrameSource> open_source(const SourceSettings& settings);

}  // namespace texcast::media
