// audio_copy.h — the sound of a recording's source on its way into the recording: every audio track, as it is where the
// container takes it, else as PCM.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "media/ffmpeg.h"
#include "media/muxed_output.h"
#include "media/recorder.h"
#include "pcm.h"

namespace texcast::media {

// Not thread-safe. Times are the recording's: 0 is its first frame.
class AudioCopy {
 public:
  // Null where there is no sound to carry along. Throws Error{input} where the file cannot be read.
  static std::unique_ptr<AudioCopy> open(const AudioSource& source, const char* muxer);

  // The same tracks in each part of a recording; before its begin().
  void add_tracks(MuxedOutput& output);
  // Of what write_until() would write.
  int64_t bytes_until(nanoseconds end);
  // What is heard from the end of the last call up to `end`, into a part whose time 0 is `part_begin`. Samples of PCM
  // are cut exactly there; a packet of anything else belongs where it begins.
  void write_until(nanoseconds end, nanoseconds part_begin, MuxedOutput& output);

 private:
  struct Track {
    AVStream* in;  // the input's
    int out = -1;  // in the present part
    ParametersPtr parameters;
    std::unique_ptr<PcmDecoder> decoder{};  // null: copied as it is
    std::unique_ptr<PcmLine> line{};        // of PCM, whether copied or decoded
    std::deque<PacketPtr> packets{};        // of anything else
    std::deque<PacketPtr> before{};         // the last two of them that were left out or are in a file already
    bool has_begun = false;                 // in the present part
    int64_t last_read = INT64_MIN;          // begin of its newest packet, ns
  };

  AudioCopy(InputPtr input, const AudioSource& source, const char* muxer);
  void add_track(AVStream& stream, AudioMode mode);
  void read_until(nanoseconds end);
  void take(Track& track, PacketPtr packet);
  void write_pcm(Track& track, nanoseconds end, nanoseconds part_begin, MuxedOutput& output);
  void write_packets(Track& track, nanoseconds end, nanoseconds part_begin, MuxedOutput& output);
  void write_packet(const Track& track, const AVPacket& packet, nanoseconds part_begin, MuxedOutput& output) const;
  void write_run_up(Track& track, nanoseconds part_begin, MuxedOutput& output) const;
  int64_t nanoseconds_of(const Track& track, int64_t stamp) const;

  InputPtr input_;
  bool is_mov_;
  nanoseconds begin_;  // of the recording, on the input's clock
  std::vector<Track> tracks_;
  bool ended_ = false;
};

}  // namespace texcast::media
