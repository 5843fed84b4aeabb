// live_sound.h — captures sound from a device, or what the desktop plays, through libavdevice.
//
// Example:
//     const auto sound = open_live_sound("pulse:@DEFAULT_MONITOR@");
//     while (const auto piece = sound->next()) …  // piece->samples, captured at piece->captured
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/audio_format.h"
#include "media/audio_reader.h"
#include "texcast/frame_times.h"

namespace texcast::media {

struct CapturedSound {
  std::span<const float> samples;  // interleaved; valid until the next call of next()
  WallTime captured{};             // of the first sample, as precisely as the device reports it
};

// Not thread-safe.
class LiveSound {
 public:
  virtual ~LiveSound() = default;
  virtual AudioFormat format() const = 0;  // 48 kHz stereo
  // Waits for the next piece, usually milliseconds. Returns nothing if the device is gone.
  virtual std::optional<CapturedSound> next() = 0;
};

// Whether a name denotes a device: "pulse:NAME", "alsa:NAME".
bool is_live_sound(const std::string& source);
// Throws Error{input}, which says what to do.
std::unique_ptr<LiveSound> open_live_sound(const std::string& source);

// "lavfi:GRAPH": the output of a filter graph, as fast as it is read. Throws Error{input}.
std::unique_ptr<AudioReader> open_sound_graph(const std::string& graph);

}  // namespace texcast::media
