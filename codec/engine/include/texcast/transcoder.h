// transcoder.h — converts textures of one format to another, from blocks to blocks.
//
// YCoCg-BC4 is repacked as scaled YCoCg, so that every Hap Q player opens a recording of it; luma is kept bit for bit.
// Other formats are decoded and encoded again on the device, so that a GPU that lacks a format can display one that it
// has. The texels do not come to the host.
//
// Example:
//     auto transcoder = make_transcoder({.from = encoder->texture_desc()});
//     for (const TextureView& texture : textures) {
//       if (transcoder->in_flight() == transcoder->capacity()) use(transcoder->next());  // makes room
//       transcoder->submit(texture);
//     }
//     while (transcoder->in_flight() > 0) use(transcoder->next());                        // the rest, in order
#pragma once

#include <memory>
#include <string>

#include "texcast/encoder.h"
#include "texcast/export.h"
#include "texcast/format.h"
#include "texcast/quality.h"

namespace texcast {

struct TranscoderSettings {
  TextureDesc from{};  // every submitted texture must have exactly this description
  TextureFormat to = TextureFormat::ycocg_dxt5;
  Quality quality = Quality::fast;  // one that `to` has
  std::string device{};             // as choose_device() takes it
  int frames_in_flight = 2;         // 1..16: submitted but not yet taken
};

// True from each kind of YCoCg-BC4 to ycocg-dxt5, and from formats whose blocks a kernel decodes (docs/architecture.md)
// to encoded formats that display the same channels: the same colour model, or RGB or RGBA, alpha being lost in RGB.
TEXCAST_API bool can_transcode(TextureFormat from, TextureFormat to);

// Not thread-safe. Textures come out in the order in which they went in. No call allocates. Any call may throw
// Error{no_device} if the device is lost.
class TEXCAST_API Transcoder {
 public:
  virtual ~Transcoder() = default;
  // Copies the blocks and starts. Misuse if in_flight() == capacity().
  virtual void submit(const TextureView& texture) = 0;
  // Waits for the oldest texture, which stays valid until the next call of next() or the transcoder's end. Misuse if
  // in_flight() == 0.
  virtual TextureView next() = 0;
  virtual bool ready() const = 0;  // next() would not block
  virtual int in_flight() const = 0;
  virtual int capacity() const = 0;
  virtual TextureDesc texture_desc() const = 0;  // of the output
  virtual StageTimes last_stage_times() const = 0;
  virtual std::string device_name() const = 0;
};

// Throws Error{no_device} as make_encoder() does. Misuse unless can_transcode() and has_quality(to, quality).
TEXCAST_API std::unique_ptr<Transcoder> make_transcoder(const TranscoderSettings& settings);

}  // namespace texcast
