// audio_output.h — the machine's loudspeaker, through SDL2: it asks for sound when it needs some.
//
// Threads: an AudioOutput is made, used and destroyed on one thread; `fill` is called on a thread of the device's.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>

#include "base/audio_format.h"
#include "base/result.h"
#include "texcast/frame_times.h"

namespace texcast::player {

// Fills the whole span: samples of -1..1, the channels of one moment side by side. Be quick, and wait for nothing.
using AudioFill = std::function<void(std::span<float> out)>;

// The destructor waits for a `fill` that is running; after it there are no more.
class AudioOutput {
 public:
  virtual ~AudioOutput() = default;
  virtual AudioFormat format() const = 0;
  // From the call of `fill` to when what it gave is heard, as far as SDL knows: the device plays one buffer while the
  // next is filled. What sound servers and loudspeakers add to that SDL is not told.
  virtual nanoseconds latency() const = 0;
  virtual void set_paused(bool paused) = 0;  // at first it is paused
  virtual std::string name() const = 0;      // of the audio driver, for a person: "pulseaudio"
};

// Opens the default device, stereo, at the rate that it prefers. A Failure says that there is none, or none that works:
// then pictures are shown without sound. SDL_AUDIODRIVER in the environment chooses the driver.
Result<std::unique_ptr<AudioOutput>> open_audio_output(AudioFill fill);
// The same with smaller buffers, for sound that is to be heard as soon as it is there.
Result<std::unique_ptr<AudioOutput>> open_live_audio_output(AudioFill fill);
// One that nobody hears and every machine has: it asks as the card behind open_live_audio_output() does, evenly by the
// steady clock, and throws away what it gets. Never a Failure.
Result<std::unique_ptr<AudioOutput>> open_silent_audio_output(AudioFill fill);

}  // namespace texcast::player
