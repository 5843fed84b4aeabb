// recording_parts.h — the files of a recording, one after the other: which frames and sound each of them gets, and at
// which time.
#pragma once

#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/stage_time.h"
#include "live/sound_place.h"
#include "media/recorder.h"
#include "stream/layout_recorder.h"
#include "stream/recording_sound.h"
#include "stream/recording_time.h"
#include "textures/block_pool.h"

namespace texcast::stream {

// Used on the writing thread only.
class RecordingParts {
 public:
  struct Sound {
    std::function<std::optional<SoundBlock>()> format;      // the first block; its samples are not valid
    std::function<std::deque<WaitingSound::Piece>()> take;  // sound that arrived since the last call
  };
  struct Closed {
    int64_t frames = 0;
    int64_t bytes = 0;
    std::vector<std::string> files;
  };

  RecordingParts(media::RecorderSettings settings, LayoutSettings layout, Sound sound);

  size_t begun() const { return begun_; }  // files, without those of --split
  // Whether the open file takes this texture.
  bool is_of(const TextureDesc& texture) const { return part_ && texture == desc_; }
  // The reason why no file of the recording can take this texture, and what to do, in one line; nullopt: one can.
  const std::optional<std::string>& refusal(const TextureDesc& texture);
  // Writes to the open file, or begins another one. `fps` is above 0.
  void write(const PooledFrame& frame, double fps);
  // As in media::Recorder.
  size_t waiting() const { return part_ ? part_->waiting() : 0; }
  bool go_on() { return part_ && part_->go_on(); }
  void close();
  void abandon();                            // after a failure: the file keeps what it has
  media::RecorderProgress progress() const;  // over all files
  const Closed& closed() const { return closed_; }

 private:
  media::RecorderSettings settings_for(const TextureDesc& texture) const;
  LayoutSettings layout_for(const TextureDesc& texture) const;
  std::optional<std::string> refusal_of(const TextureDesc& texture) const;
  void begin(const PooledFrame& frame, double fps);
  static media::RecorderReport finished(media::Recorder& part, std::exception_ptr& failure);
  std::shared_ptr<media::RecordedSound> begin_sound();
  void write_sound();
  void request_samples(const PooledFrame& frame);

  // Frames in which requested samples should come: more than wait in a queue.
  static constexpr int kPatience = 64;
  const media::RecorderSettings settings_;  // without the claim
  const LayoutSettings layout_;
  const Sound sound_;
  std::shared_ptr<media::OutputClaim> claim_;  // until the first frame
  size_t begun_ = 0;
  size_t next_part_ = 1;
  std::unique_ptr<media::Recorder> part_;  // nullptr: none is open
  TextureDesc desc_;                       // of part_
  struct Asked {
    TextureDesc texture;
    std::optional<std::string> refusal;
  };
  std::optional<Asked> asked_;  // last in refusal()
  Closed closed_;
  media::RecorderProgress closed_progress_;
  StageTime opening_;

  RecordingTime time_;
  uint64_t last_id_ = 0;          // of the latest frame; 0: none in this part, or unknown
  bool keeps_lossy_ = false;      // this part stores lossy payloads as they were received …
  bool keeps_transform_ = false;  // … also those of streams with transform coding
  int frames_to_request_ = 0;     // until samples are requested again

  SoundPlace sound_place_;
  std::shared_ptr<media::RecordedSound> recorded_sound_;  // of this part; nullptr: it has none
  AudioFormat recorded_format_{};
  bool sound_left_out_ = false;
};

}  // namespace texcast::stream
