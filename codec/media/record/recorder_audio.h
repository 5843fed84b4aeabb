// recorder_audio.h — where a recording's sound comes from: another file (AudioCopy), or what comes beside its pictures.
#pragma once

#include <cstdint>

#include "media/muxed_output.h"

namespace texcast::media {

// Not thread-safe. Times are the recording's: 0 is its first frame. A recording may be split into parts (files).
class RecorderAudio {
 public:
  virtual ~RecorderAudio() = default;
  // To be called for each part before its begin(): all parts have the same tracks.
  virtual void add_tracks(MuxedOutput& output) = 0;
  // How many bytes write_until() would write.
  virtual int64_t bytes_until(nanoseconds end) = 0;
  // Writes what is heard from the end of the last call up to `end` into a part whose time 0 is `part_begin`. PCM is cut
  // exactly there; a coded packet goes into the part in which it begins. Throws as MuxedOutput::write does.
  virtual void write_until(nanoseconds end, nanoseconds part_begin, MuxedOutput& output) = 0;
};

}  // namespace texcast::media
