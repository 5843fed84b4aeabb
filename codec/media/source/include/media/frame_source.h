// frame_source.h — sources of frames: everything that FFmpeg opens or captures, screens, and the built-in test card.
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

class SoundQueue;

// How interlaced frames are treated, which hold the odd rows of one moment and the even rows of another.
enum class Deinterlace : uint8_t {
  automatic,  // each becomes one whole picture; progressive frames are unchanged
  on,         // all frames are treated as interlaced
  off,        // they are unchanged, with a warning
};

// Overrides wrong metadata of the input.
struct PictureSettings {
  std::optional<int> rotate{};          // degrees clockwise: 0, 90, 180, 270; unset: from the input
  std::optional<PixelAspect> aspect{};  // width : height of the whole displayed picture; unset: from the input
  Deinterlace deinterlace = Deinterlace::automatic;
};

// `input` is a file or URL that FFmpeg opens; "-" (standard input), "pipe:N" (a descriptor) or a FIFO; an image (one
// frame); "test" (moving card with a burnt-in frame number);
// "screen" (the desktop), "screen:MONITOR", "screen:WxH+X+Y", "window:TITLE"; "lavfi:GRAPH"; "DEMUXER::DEVICE" such as
// "v4l2::/dev/video0".
struct SourceSettings {
  std::string input;
  // true: an input with alpha is returned as RGBA or BGRA; false: without alpha, in its own format if possible.
  bool alpha = false;
  // true: PQ and HLG (BT.2100) are converted to rgba_half, linear light; false: they are unchanged. Files of floats are
  // always converted.
  bool half = false;
  bool loop = false;    // start over at the end; time stamps continue to increase
  nanoseconds start{};  // skip to this time first (files)
  // Frames per second, more than 0 and up to 1000. test, devices: the requested rate (default 60; devices: their own).
  // screen: the maximum (default 60), fewer if less changes. Files: frames are dropped or repeated to reach this rate.
  // An image with `loop`: how often it is returned (default 25).
  std::optional<double> fps{};
  // Pixels. test: the requested size (default 1920x1080). screen: the size of the captured upper left part (default:
  // all). Set both or neither.
  std::optional<int> width{}, height{};
  PictureSettings picture{};
  // Filters for what FFmpeg reads, in FFmpeg's syntax, with one input and one output: "crop=640:360,eq=contrast=1.2".
  std::string filters{};
  // The source ends before the first frame with this pts or a later one.
  std::optional<nanoseconds> duration{};
  // Screens and windows:
  screen::CursorMode cursor = screen::CursorMode::picture;
  // Set it to stop waiting for a person who is asked which screen to share, for a network, or for the writer of a pipe:
  // the source ends. Null: never.
  const std::atomic<bool>* stop = nullptr;
  // Keep the sound of inputs that cannot be opened a second time for it (FrameSource::sound): pipes and URLs.
  bool sound = false;
  // The consumer of the frames handles changes of their size. Else frames are fitted into the first size, with black
  // borders.
  bool follows_changes = false;
};

struct SourceFrame {
  // In the source's memory: valid until the next call of next(), and as long as an encoder has a share in it.
  // `changed`, if it is not empty, is relative to the frame that next() returned before (see skipped()).
  FrameView view;
  FrameTimes times;  // pts, from 0, and available (when the frame left the decoder); the others are zero
  // The frame's position in the input, from its first one: jumps back when a loop starts over, while pts continues.
  nanoseconds place{};
};

// Frames are upright and progressive, as far as the input's metadata are correct; their pixel aspect is
// format().aspect. Frames that change their size or pixel aspect are fitted into that of the first one, with black
// borders, and a warning is logged. With SourceSettings::follows_changes those of screens are returned unchanged: if
// view.format differs from that of the previous frame, a new sequence begins.
//
// Not thread-safe. Damaged frames are skipped and counted. Error{input} is thrown only if frames change to a pixel
// format that swscale cannot read, or a loop cannot open the input again.
class FrameSource {
 public:
  virtual ~FrameSource() = default;
  // Returns the next frame, or nothing at the end. A live source waits for it.
  virtual std::optional<SourceFrame> next() = 0;
  // The format of every frame, which the kernels can read. swscale converts frames of other formats. Live screens may
  // change it; then it is that of the frame that next() returned last.
  virtual FrameFormat format() const = 0;
  virtual double fps() const = 0;    // nominal; 0 for an image
  virtual bool is_live() const = 0;  // frames come in real time by themselves
  virtual bool is_image() const = 0;
  // Whether the input has transparent parts that frames lack because SourceSettings::alpha is false. Looks into the
  // first frame, and then one in 25.
  virtual bool drops_transparency() const { return false; }
  virtual std::optional<int64_t> frame_count() const = 0;  // if the container has it
  // From the first frame to the end of the last one, if the container has it. Too long if the file's sound is longer.
  virtual std::optional<nanoseconds> length() const { return std::nullopt; }
  // The number of frames that could not be read so far: damaged ones, which were skipped, and those that are missing at
  // the end according to the input's metadata. The latter are known once next() has returned nothing.
  virtual int64_t damaged_frames() const = 0;
  virtual std::string first_damage() const { return {}; }  // the defect of the first of them
  // The time of the frame with pts 0 in the file's own clock, which its audio tracks share (AudioSource::begin).
  // Nothing for images and for sources that FFmpeg does not read.
  virtual std::optional<nanoseconds> begin() const { return std::nullopt; }
  // With SourceSettings::sound: the sound of an input that cannot be opened again, as far as frames were read. Null if
  // it has none, and for files. The sound up to the end of a frame is there when next() returns it, unless the source
  // is live or interleaved badly.
  virtual std::shared_ptr<SoundQueue> sound() const { return nullptr; }
  // From any thread: next() does not wait for a network or a pipe any more; it may end early from now on.
  virtual void stop_waiting() {}
  // Frames from now on are put into this pool of an encoder where possible, so that submitting them copies nothing.
  // Frames that were decoded before, or while the pool has none free, are elsewhere. Null, and a pool of another format
  // than format(), change nothing.
  virtual void decode_into(std::shared_ptr<FramePool> /*pool*/) {}
  // The next frame will be the one at that position in the input, or one shortly before it. The pts of frames continue
  // to increase. False if this input cannot seek; nothing has changed then.
  virtual bool seek(nanoseconds /*place*/) { return false; }
  // The frame that next() returned last was not submitted to the encoder: FrameView::changed of the next one is then
  // relative to the last one that was.
  virtual void skipped() {}
  // From any thread: another frame is wanted soon even if nothing has changed. Ignored by sources that return frames by
  // themselves.
  virtual void want_frame() {}
  // For screens with CursorMode::overlay: `call` gets the pointer's state whenever it changes without a frame being
  // returned for it, from within next(). Set it before the first next().
  virtual void on_cursor(const std::function<void(const Cursor&, WallTime captured)>& /*call*/) {}
};

// Opens the input and decodes its first frame. If that fails, throws Error{input}, which says what to do. Throws
// Error{usage} for a rate, or a size of the test card, out of range, and for filters that FFmpeg does not take.
std::unique_ptr<FrameSource> open_source(const SourceSettings& settings);

// Whether the input is a pipe: "-" (unless it is a redirected file), "pipe:N", a FIFO. Touches nothing.
bool is_read_once(const std::string& input);

}  // namespace texcast::media
