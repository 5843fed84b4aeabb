// encoder.h — encodes frames as block-compressed textures, with several frames in flight.
//
// Example:
//     auto encoder = make_encoder({.source = format, .texture = TextureFormat::bc1, .quality = Quality::fast});
//     while (const Frame* frame = source.next()) {
//       if (encoder->in_flight() == encoder->capacity()) use(encoder->next());   // makes room
//       encoder->submit(frame->view, frame->times);
//     }
//     while (encoder->in_flight() > 0) use(encoder->next());                     // the rest, in order
//
// With bands (EncoderSettings::bands) the top of a frame can be used before the rest is encoded:
//     if (encoder->ready_bytes() > 0) begin(encoder->peek());
//     … use_first(encoder->ready_bytes()); …                                     // grows, without waiting
//     end(encoder->next());                                                      // the same memory, whole
//
// on_progress() notifies the caller, so that it need not poll.
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

// How work reaches a device that has its own memory. The bytes are the same; which is faster depends on the driver.
enum class QueueLayout {
  per_direction,  // one queue each for upload, kernels and download, with events between them
  per_frame,      // one queue for each frame in flight, with all its steps
};

// The behaviour of an encoder while its kernel is not built, which takes the device's compiler seconds. The bytes are
// the same.
enum class EncoderStart {
  // make_encoder() returns at once. Until another thread has built the kernel, the CPU encodes, which is slow for large
  // frames at high qualities; then the device does. The kernel's variants are timed at the same time, and the fastest
  // takes over. A switch happens between two frames; no frame is lost, and they come in order.
  at_once,
  // make_encoder() builds and times first; the device encodes every frame.
  when_built,
};

struct EncoderSettings {
  FrameFormat source{};  // every submitted frame must have exactly this format
  TextureFormat texture = TextureFormat::bc1;
  Quality quality = Quality::fast;
  std::optional<Method> method{};  // overrides the quality's method
  MethodOptions options{};         // of the method
  std::string device{};            // as choose_devices() takes it; several devices get the frames in turn
  int frames_in_flight = 4;  // 1..16 per device: submitted but not yet taken; 3 are being processed, 1 waits to be next
  std::optional<TuneMode> tune{};  // of the kernel's variants; default: default_tune_mode()
  QueueLayout queues = QueueLayout::per_direction;
  EncoderStart start = EncoderStart::at_once;
  // Bands of block rows in which a frame is encoded and downloaded, so that its top can be sent while the rest is being
  // encoded: 1..16, or kBandsAuto. 1: in one piece. Frames of few rows have fewer.
  int bands = 1;
  // Compares each frame with the previous one of the stream. A tile (tiles.h) in which no byte of the picture differs
  // is neither encoded nor downloaded again, and EncodedFrame::changed tells which tiles these are. The blocks are the
  // same. Only a single device does this, for formats with blocks of 4 x 4 texels. Several devices encode all, as each
  // lacks its frames' previous ones.
  bool compare = false;
  // EncodedFrame::texture refers to its picture, for consumers that replace blocks by cheaper ones
  // (FileWriterSettings::crf).
  bool keep_pictures = false;
};
inline constexpr int kBandsAuto = 0;  // the number that is best for the frame size and the device, by measurement

// A finished frame. The encoder owns its bytes, which stay valid until the next call of next() or the encoder's end.
struct EncodedFrame {
  TextureView texture;
  FrameTimes times;  // pts and available as submitted; encoded is filled in
  // With EncoderSettings::compare, and valid as long as the texture: one byte per tile (tile_raster of the frame's
  // size). 0: all of its blocks, in all planes, are those of the stream's previous frame; 1: this is not known. Empty:
  // not compared.
  std::span<const uint8_t> changed{};
};

// Nanoseconds that the latest finished frame spent in each stage, by the device's own clock (zero if it has none).
struct StageTimes {
  nanoseconds stage_in{};  // copying by the host into pinned memory; zero for frames of the pool
  nanoseconds upload{};
  nanoseconds compare{};  // with the previous frame
  nanoseconds kernel{};
  nanoseconds download{};
  size_t uploaded_bytes = 0;    // of the frame; 0 if the device shares the host's memory
  size_t downloaded_bytes = 0;  // of blocks; 0 if the device shares the host's memory
};

// Progress of an encoder whose device kernels are still being built (EncoderStart::at_once).
struct EncoderPreparation {
  bool is_over = true;  // false: the CPU encodes until the kernels are built
  SteadyTime begun{};   // when compilation began
};

// Not thread-safe; one Encoder per stream. Frames come out in the order in which they went in. Calls do not allocate,
// except for the first frames, which create the memory that all later ones use. Any call may throw Error{no_device} if
// a device is lost or, with EncoderStart::at_once, if its kernels do not build (the message has the build log). Then
// the encoder can only be destroyed. The destructor waits for pending work of other devices, and for a running
// compiler, which cannot be stopped (a log line says so, and its result is cached for the next start).
class TEXCAST_API Encoder {
 public:
  virtual ~Encoder() = default;
  // Starts the frame. A frame that frame_pool() lent is read in place, and must not be written until the encoder's
  // share in it has ended (at the latest with its next(), or with the one after it if frames are compared or kept). Any
  // other frame is copied and may be reused at once. Misuse if in_flight() == capacity().
  virtual void submit(const FrameView& frame, const FrameTimes& times) = 0;
  // Waits for the oldest frame. Misuse if in_flight() == 0.
  virtual EncodedFrame next() = 0;
  // True if next() would not block.
  virtual bool ready() const = 0;
  // How many bytes at the start of the oldest frame's texture are final. Grows band by band to the whole. 0 if no frame
  // is in flight, and for encoders that do not report it.
  virtual size_t ready_bytes() { return 0; }
  // The oldest frame as next() will return it, in the same memory, of which only the first ready_bytes() may be read.
  // `encoded` is not filled in. The frame stays in flight, and its memory is valid as long as next() says. Misuse if
  // ready_bytes() == 0.
  virtual EncodedFrame peek();
  // From now on `call` is called whenever ready() or ready_bytes() may have changed, sometimes also if they have not.
  // It is called on threads of the driver or inside submit(): it must be quick, must not throw and must not call the
  // encoder. Frames that are in flight already need not be reported. When this returns, the previous function is not
  // called any more; no function is called after the encoder's end. An empty function disables the calls.
  virtual void on_progress(std::function<void()> call) = 0;
  virtual int bands() const { return 1; }  // of each frame, at most
  virtual int in_flight() const = 0;
  virtual int capacity() const = 0;
  virtual int devices() const { return 1; }  // frame n goes to device n modulo their number
  // The pool to decode into, so that submit() copies nothing; null if the encoder does not benefit from one. It may be
  // used on any thread and may outlive the encoder. It lends at most 64 frames or 1 GiB, whichever is less, but always
  // 8 more than fit in flight.
  virtual std::shared_ptr<FramePool> frame_pool() { return nullptr; }
  virtual TextureDesc texture_desc() const = 0;
  // Makes the device do what it would do at its first frame (some drivers compile then, for most of a second), so that
  // the first submit() is quick. Does nothing while other frames are encoded. Misuse if in_flight() > 0.
  virtual void warm_up();
  virtual StageTimes last_stage_times() const = 0;
  virtual std::string device_name() const = 0;  // several: all, separated by commas
  // Changes of `is_over` are reported through on_progress().
  virtual EncoderPreparation preparation() { return {}; }
  // From now on frames come in real time: a compiler that still runs gets low priority.
  virtual void compile_at_low_priority() {}
};

// Throws Error{no_device} if no device fits or the kernels do not build (the message has the build log; with
// EncoderStart::at_once the encoder's calls throw it), and Error{usage} for a quality or method that the format does
// not have.
TEXCAST_API std::unique_ptr<Encoder> make_encoder(const EncoderSettings& settings);

}  // namespace texcast
