// audio_output.h — plays sound on the machine's default device, through SDL2, which requests samples when it needs
// them.
//
// Threads: an AudioOutput is created, used and destroyed on one thread; `fill` is called on a thread of the device.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>

#include "base/audio_format.h"
#include "base/result.h"
#include "texcast/frame_times.h"

namespace texcast::player {

// Fills the whole span: samples of -1..1, the channels of one moment side by side. It must be quick and must not block.
using AudioFill = std::function<void(std::span<float> out)>;

// The destructor waits for a running `fill`; after it there are no more calls.
class AudioOutput {
 public:
  virtual ~AudioOutput() = default;
  virtual AudioFormat format() const = 0;
  // The time from the call of `fill` until its samples are heard, as far as SDL knows it: the device plays one buffer
  // while the next is filled. SDL does not know the additional delay of sound servers and loudspeakers.
  virtual nanoseconds latency() const = 0;
  virtual void set_paused(bool paused) = 0;  // initially it is paused
  virtual std::string name() const = 0;      // of the audio driver, for a person: "pulseaudio"
};

// Opens the default device, stereo, at its preferred rate. A Failure says that there is none, or none that works: then
// pictures are shown without sound. SDL_AUDIODRIVER in the environment selects the driver.
Result<std::unique_ptr<AudioOutput>> open_audio_output(AudioFill fill);
// The same with smaller buffers, for sound with low delay.
Result<std::unique_ptr<AudioOutput>> open_live_audio_output(AudioFill fill);
// A silent substitute that works on every machine: it requests samples as the card behind open_live_audio_output()
// does, evenly by the steady clock, and discards them. Never a Failure.
Result<std::unique_ptr<AudioOutput>> open_silent_audio_output(AudioFill fill);

}  // namespace texcast::player
