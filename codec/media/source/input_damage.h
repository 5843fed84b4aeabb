// input_damage.h — how many frames of an input could not be read, and why: what was met on the way, and what its index
// or its header says is behind its end.
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

// Where reading of a track is. Of packets as the demuxer gives them, in the track's ticks.
struct ReadSoFar {
  std::optional<int64_t> last_dts{};
  std::optional<int64_t> end{};  // of the packet that is shown longest: its time and its duration

  void add(const AVPacket& packet);
};

// Packets of the track that its index or its header tells of and that are not in the file at `path`. To be asked at the
// end of the input. 0 where nothing is known.
int64_t frames_behind_end(const AVFormatContext& input, const AVStream& track, const ReadSoFar& read,
                          const std::string& path);

// Of .mov and .mp4 files that were joined byte after byte, FFmpeg reads the first alone: how many frames the others
// have (at least 1 each). 0 for everything else.
int64_t frames_in_joined_files(const AVFormatContext& input, const std::string& path);

// Whether a transport stream ends inside one of its packets, so that the frame in it is not whole or not there at all.
bool ends_inside_packet(const AVFormatContext& input);

// Whether the file ended inside the packet. Not asked of MPEG's transport streams, where a gap anywhere says so.
bool is_cut_short(const AVFormatContext& input, const AVPacket& packet);

}  // namespace texcast::media
