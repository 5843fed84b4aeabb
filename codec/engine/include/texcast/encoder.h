// encoder.h — frames in, block-compressed textures out, several frames at once.
//
// Example:
//     auto encoder = make_encoder({.source = format, .texture = TextureFormat::bc1, .quality = Quality::fast});
//     while (const Frame* frame = source.next()) {
//       if (encoder->in_flight() == encoder->capacity()) use(encoder->next());   // makes room
//       encoder->submit(frame->view, frame->times);
//     }
//     while (encoder->in_flight() > 0) use(encoder->next());                     // the rest, in order
//
// With bands (EncoderSettings::bands) the beginning of a frame can be used before its end is there:
//     if (encoder->ready_bytes() > 0) begin(encoder->peek());
//     … use_first(encoder->ready_bytes()); …                                     // grows, without waiting
//     end(encoder->next());                                                      // the same memory, whole
//
// on_progress() tells when to look, so that nobody has to look again and again.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "texcast/device.h"
#include "texcast/error.h"
#include "texcast/export.h"
#include "texcast/format.h"
#include "texcast/frame.h"
#include "texcast/frame_pool.h"
#include "texcast/frame_times.h"
#include "texcast/quality.h"
#include "texcast/tiles.h"
#include "texcast/tune.h"

namespace texcast {

// How work reaches a device with memory of its own; the bytes are the same. Which is faster is the driver's affair.
enum class QueueLayout {
  per_direction,  // upload, kernels, download: a queue each, events between them
  per_frame,      // a queue for each frame in flight, with all its steps
};

// What an encoder does whose kernel is not built yet, which takes its device's compiler seconds. The bytes are the
// same.
enum class EncoderStart {
  // make_encoder() returns at once. Until the kernel is built, by a thread beside, the processor encodes, which for
  // large frames of high qualities is slow; then the device does. The forms of the kernel are timed beside it too, and
  // the fastest takes over. Changes fall between frames; none is lost, and they come in order.
  at_once,
  // make_encoder() builds and times first; every frame is the device's own.
  when_built,
};

struct EncoderSettings {
  FrameFormat source{};  // every frame submitted must have exactly this format
  TextureFormat texture = TextureFormat::bc1;
  Quality quality = Quality::fast;
  std::optional<Method> method{};  // instead of the quality's own
  MethodOptions options{};         // of the method
  std::string device{};            // as choose_devices takes it; several get the frames in turn
  int frames_in_flight = 4;        // 1..16 on each device: submitted but not yet taken; 3 pass, 1 waits to be next
  std::optional<TuneMode> tune{};  // of the kernel's form; default: default_tune_mode()
  QueueLayout queues = QueueLayout::per_direction;
  EncoderStart start = EncoderStart::at_once;
  // Bands of block rows in which a frame is encoded and comes to the host, so that its beginning can leave while the
  // rest is still being made: 1..16, or kBandsAuto. 1: in one piece. Frames of few rows have fewer.
  int bands = 1;
  // Compares each frame with the one before it in the stream: a tile (tiles.h) in which no byte of the picture differs
  // is neither encoded nor brought to the host again, and EncodedFrame::changed tells which these are. The blocks are
  // the same. One device alone does, for formats of 4 x 4 texels a block; several, which do not have the frames before
  // theirs, encode all.
  bool compare = false;
  // EncodedFrame::texture has the picture with it: for who chooses other blocks instead (FileWriterSettings::crf).
  bool keep_pictures = false;
};
inline constexpr int kBandsAuto = 0;  // what pays for the size of frame and the device, by measurement

// A finished frame. Its bytes belong to the encoder and stay valid until the next call of next() or the
// encoder's end.
struct EncodedFrame {
  TextureView texture;
  FrameTimes times;  // pts and available as submitted; encoded filled in
  // With EncoderSettings::compare, and as long valid as the texture: a byte a tile (tile_raster of the frame's size);
  // 0: all of its blocks, in all planes, are those of the frame before in the stream; 1: that is not known. Empty: not
  // compared.
  std::span<const uint8_t> changed{};
};

// Nanoseconds spent by the last finished frame in each stage, from the device's own clock where it has one
// (zero where it has not).
struct StageTimes {
  nanoseconds stage_in{};  // host copy into pinned memory; none for frames of the pool
  nanoseconds upload{};
  nanoseconds compare{};  // with the frame before
  nanoseconds kernel{};
  nanoseconds download{};
  size_t uploaded_bytes = 0;    // of the frame; 0 to a device that shares the host's memory
  size_t downloaded_bytes = 0;  // of blocks; 0 from a device that shares the host's memory
};

// How far an encoder is that began while its device's kernels are still being built (EncoderStart::at_once).
struct EncoderPreparation {
  bool is_over = true;     // false: until the kernels are built the processor encodes
  SteadyTime begun{};      // when their compiler began
  nanoseconds expected{};  // from `begun` to the end on an idle machine, at most; zero: not known
};

// Not thread-safe; one Encoder per stream. Frames come out in the order they went in. No call allocates, but for the
// first frames, which make the memory that all later ones use. Any call may throw Error{no_device} when a device is
// lost or, with EncoderStart::at_once, its kernels turn out not to build (the message has the build log): then all that
// is left to do is to destroy the encoder, which waits for what other devices have under way, and for a compiler at
// work (which cannot be stopped; a line of the log says so, and what it makes is kept for the next start).
class TEXCAST_API Encoder {
 public:
  virtual ~Encoder() = default;
  // Starts the frame. One that frame_pool() lent is read where it lies, and must not be written until the encoder's
  // share in it has ended (at the latest with its next(), or with the one after it where frames are compared or kept);
  // any other is copied and may be reused at once. Misuse if in_flight() == capacity().
  virtual void submit(const FrameView& frame, const FrameTimes& times) = 0;
  // Waits for the oldest frame. Misuse if in_flight() == 0.
  virtual EncodedFrame next() = 0;
  // True when next() would not wait.
  virtual bool ready() const = 0;
  // How many bytes at the beginning of the oldest frame's texture are final: grows band by band to the whole. 0 where
  // no frame is in flight, and from an encoder that cannot tell.
  virtual size_t ready_bytes() { return 0; }
  // The oldest frame as next() will give it, in the same memory, of which only the first ready_bytes() may be read.
  // `encoded` is not filled in. It stays in flight, and its memory valid as next() says. Misuse if ready_bytes() == 0.
  virtual EncodedFrame peek();
  // From now on `call` is called whenever more of a frame is finished, which is when ready() and ready_bytes() change;
  // sometimes also when nothing has changed. It comes from the driver's threads, or from within submit(): it must be
  // quick, must not throw and must not call the encoder. Frames that are in flight already need not be told. When this
  // returns the function before is not called any more, and none is after the encoder's end; an empty one: no calls.
  virtual void on_progress(std::function<void()> call) = 0;
  virtual int bands() const { return 1; }  // of each frame, at most
  virtual int in_flight() const = 0;
  virtual int capacity() const = 0;
  virtual int devices() const { return 1; }  // frame n goes to device n modulo their number
  // Where to decode into, so that submit() copies nothing; null for an encoder that gains nothing from it. The pool may
  // be used on any thread and may outlive the encoder. It lends at most 64 frames or 1 GiB, whichever is less, but
  // always 8 more than fit in flight.
  virtual std::shared_ptr<FramePool> frame_pool() { return nullptr; }
  virtual TextureDesc texture_desc() const = 0;
  // Has the device do what it leaves for its first frame (some drivers compile then, for most of a second), so that the
  // first submit() need not wait for it. Does nothing where other frames are encoded meanwhile. Misuse if in_flight() >
  // 0.
  virtual void warm_up();
  virtual StageTimes last_stage_times() const = 0;
  virtual std::string device_name() const = 0;  // several: all, with commas
  // Changes to `is_over` are told through on_progress().
  virtual EncoderPreparation preparation() { return {}; }
  // Frames come in real time from now on: a compiler that is still at work leaves the processors to whatever else
  // wants them.
  virtual void compile_at_low_priority() {}
};

// Throws Error{no_device} (none fits, or the kernels do not build there: the message has the build log; with
// EncoderStart::at_once the calls of the encoder throw that) and Error{usage} (a quality or method the format does not
// have).
TEXCAST_API std::unique_ptr<Encoder> make_encoder(const EncoderSettings& settings);

}  // namespace texcast
