// sound_block.h — a decoded piece of a stream's sound, for the loudspeaker and the recording.
#pragma once

#include <cstdint>
#include <span>

#include "base/audio_format.h"
#include "texcast/frame_times.h"

namespace texcast::stream {

// Blocks follow each other without a gap until one has new_stream set.
struct SoundBlock {
  AudioFormat format{};
  int bits = 16;                     // per sample on the wire; 16 for Opus
  bool new_stream = false;           // no earlier block belongs to it; the format may be different
  std::span<const float> samples{};  // interleaved, -1..1; valid during the call that passes the block
  WallTime captured{};               // of the first sample, on the sender's clock; zero: unknown
  SteadyTime arrived{};              // of the block's last packet, on our clock
  bool concealed = false;            // the block was lost; the samples are a guess
};

}  // namespace texcast::stream
