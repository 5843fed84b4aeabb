// sound_block.h — a piece of a stream's sound as it was decoded: what the loudspeaker and the recording get.
#pragma once

#include <cstdint>
#include <span>

#include "base/audio_format.h"
#include "texcast/frame_times.h"

namespace texcast::stream {

// Blocks follow each other without a hole until one says new_stream.
struct SoundBlock {
  AudioFormat format{};
  int bits = 16;                     // that samples had on the wire; of Opus 16
  bool new_stream = false;           // nothing before belongs to it; the format may be another
  std::span<const float> samples{};  // interleaved, -1..1; valid during the call that gives the block
  WallTime captured{};               // of the first, on the sender's clock; zero: not known
  SteadyTime arrived{};              // when the last of it was there, on ours
  bool concealed = false;            // it got lost, this is a guess
};

}  // namespace texcast::stream
