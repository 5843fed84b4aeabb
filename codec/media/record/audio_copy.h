// audio_copy.h — copies the sound of a recording's source into the recording: every audio track, unchanged if the
// container takes it, else as PCM. The source is a file, or the sound that the reader of the pictures keeps.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "media/ffmpeg.h"
#include "media/muxed_output.h"
#include "media/recorder.h"
#include "media/sound_queue.h"
#include "pcm.h"
#include "recorder_audio.h"

namespace texcast::media {

class AudioCopy final : public RecorderAudio {
 public:
  // Null if there is no sound to copy. `muxer` is FFmpeg's name of the recording's container, "mov" or "matroska".
  // Throws Error{input} if the file cannot be read.
  static std::unique_ptr<AudioCopy> open(const AudioSource& source, const char* muxer);

  void add_tracks(MuxedOutput& output) override;
  int64_t bytes_until(nanoseconds end) override;
  void write_until(nanoseconds end, nanoseconds part_begin, MuxedOutput& output) override;

 private:
  struct Track {
    size_t in = 0;  // its number in input_ or queue_
    AVRational time_base{};
    std::string language{};
    int out = -1;  // its number in the current part
    ParametersPtr parameters;
    std::unique_ptr<PcmDecoder> decoder{};  // null: the packets are copied
    std::unique_ptr<PcmLine> line{};        // PCM, copied or decoded, that waits to be written; null: not PCM
    std::deque<PacketPtr> packets{};        // else: coded packets that wait to be written
    std::deque<PacketPtr> before{};         // the last two packets that were written or skipped
    bool has_begun = false;                 // the current part has a packet of it
    int64_t last_read = INT64_MIN;          // start of its newest packet, ns
  };

  AudioCopy(InputPtr input, const AudioSource& source, const char* muxer);
  void add_tracks_of_file(AudioMode mode);
  void add_track(size_t in, const AVCodecParameters& parameters, AVRational time_base, const char* language,
                 AudioMode mode);
  void seek(nanoseconds time);
  void read_until(nanoseconds end);
  void read_file_until(nanoseconds end);
  void read_queue();
  void end();
  Track* track_of(size_t in);
  void take(Track& track, PacketPtr packet);
  void write_pcm(Track& track, nanoseconds end, nanoseconds part_begin, MuxedOutput& output);
  void write_packets(Track& track, nanoseconds end, nanoseconds part_begin, MuxedOutput& output);
  void write_packet(const Track& track, const AVPacket& packet, nanoseconds part_begin, MuxedOutput& output) const;
  void write_run_up(Track& track, nanoseconds part_begin, MuxedOutput& output) const;
  int64_t nanoseconds_of(const Track& track, int64_t stamp) const;

  InputPtr input_;  // null: queue_
  std::shared_ptr<SoundQueue> queue_;
  bool is_mov_;
  nanoseconds begin_;  // of the recording, in the input's time
  std::vector<Track> tracks_;
  bool ended_ = false;
};

}  // namespace texcast::media
