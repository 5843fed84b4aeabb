// audio_output.h — the machine's loudspeaker, through SDL2: it asks for sound when it needs some.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>

#include "base/audio_format.h"
#include "base/frame_times.h"
#include "base/result.h"

namespace texcast::player {

// Fills the whole span, interleaved. Called on a thread of the device's own: be quick, wait for nothing.
using AudioFill = std::function<void(std::span<float> out)>;

// Made, used and destroyed on one thread. After the destructor `fill` is not called any more.
class AudioOutput {
 public:
  virtual ~AudioOutput() = default;
  virtual AudioFormat format() const = 0;
  // From the call of `fill` to when what it gave is heard, as far as it is known: the device plays one buffer while the
  // next is filled. Sound servers and loudspeakers add to that and do not tell SDL.
  virtual nanoseconds latency() const = 0;
  virtual void set_paused(bool paused) = 0;  // it begins paused
  virtual std::string name() const = 0;      // for a person: the driver's
};

// The usual device, stereo, at the rate that it likes. A Failure: there is none (or none works), which is no reason not
// to show pictures. SDL_AUDIODRIVER in the environment chooses the driver.
Result<std::unique_ptr<AudioOutput>> open_audio_output(AudioFill fill);

}  // namespace texcast::player
