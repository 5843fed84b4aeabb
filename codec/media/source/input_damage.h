// input_damage.h — how many frames of an input could not be read, and why: those found damaged, and those that are
// missing at the end according to its index or header.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "media/ffmpeg.h"

namespace texcast::media {

class InputDamage {
 public:
  void add(int64_t frames, std::string reason) {
    frames_ += frames;
    if (first_.empty()) first_ = reason;
    last_ = std::move(reason);
  }
  int64_t frames() const { return frames_; }
  const std::string& first() const { return first_; }
  const std::string& last() const { return last_; }

 private:
  int64_t frames_ = 0;
  std::string first_, last_;
};

// The progress of reading a track: packets as the demuxer returns them, in the track's ticks.
struct ReadSoFar {
  std::optional<int64_t> last_dts{};
  std::optional<int64_t> end{};  // end of the packet that is displayed last: its time and its duration

  void add(const AVPacket& packet);
};

// The number of packets of the track that its index or its header lists but that the file at `path` does not have. Call
// it at the end of the input. 0 if nothing is known.
int64_t frames_behind_end(const AVFormatContext& input, const AVStream& track, const ReadSoFar& read,
                          const std::string& path);

// If .mov or .mp4 files were concatenated byte after byte, FFmpeg reads only the first: returns the number of frames of
// the others (at least 1 each). 0 for everything else.
int64_t frames_in_joined_files(const AVFormatContext& input, const std::string& path);

// Whether a transport stream ends inside one of its packets, so that the frame in it is incomplete or missing.
bool ends_inside_packet(const AVFormatContext& input);

// Whether the file ended inside the packet. Not called for MPEG's transport streams, where a gap anywhere sets the same
// flag.
bool is_cut_short(const AVFormatContext& input, const AVPacket& packet);

}  // namespace texcast::media
