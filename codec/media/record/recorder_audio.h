// recorder_audio.h — the source of a recording's sound: another file (AudioCopy), or sound that accompanies its
// pictures.
#pragma once

#include <cstdint>

#include "media/muxed_output.h"

namespace texcast::media {

// Not thread-safe. Times are the recording's: 0 is its first frame. A recording may be split into parts (files).
class RecorderAudio {
 public:
  virtual ~RecorderAudio() = default;
  // Call it for each part before its begin(): all parts have the same tracks.
  virtual void add_tracks(MuxedOutput& output) = 0;
  // How many bytes write_until() would write.
  virtual int64_t bytes_until(nanoseconds end) = 0;
  // Writes the sound from the end of the previous call up to `end` into a part whose time 0 is `part_begin`. PCM is cut
  // exactly there; a coded packet goes into the part in which it begins. Throws as MuxedOutput::write() does.
  virtual void write_until(nanoseconds end, nanoseconds part_begin, MuxedOutput& output) = 0;
};

}  // namespace texcast::media
