// recording_parts.h — the files of a recording, one after the other: what goes into each of them, and when each frame
// and each piece of sound is in its file's time.
#pragma once

#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/stage_time.h"
#include "live/block_pool.h"
#include "media/recorder.h"
#include "stream/layout_recorder.h"
#include "stream/recording_sound.h"
#include "stream/recording_time.h"

namespace texcast::stream {

// The writing thread's.
class RecordingParts {
 public:
  struct Sound {
    std::function<std::optional<SoundBlock>()> format;      // of the first that came; its samples mean nothing
    std::function<std::deque<WaitingSound::Piece>()> take;  // what has come since the last call
  };
  struct Closed {
    int64_t frames = 0;
    int64_t bytes = 0;
    std::vector<std::string> files;
  };

  RecordingParts(media::RecorderSettings settings, LayoutSettings layout, Sound sound);

  size_t begun() const { return begun_; }  // without those of --split
  // Whether textures like this go into the file that is open.
  bool is_of(const TextureDesc& texture) const { return part_ && texture == desc_; }
  // Why no file of the recording takes another texture like this: one line that says what to do. Nothing: one does.
  const std::optional<std::string>& refusal(const TextureDesc& texture);
  // Into the open file, or another one that it begins. `fps` above 0.
  void write(const PooledFrame& frame, double fps);
  // As those of media::Recorder.
  size_t waiting() const { return part_ ? part_->waiting() : 0; }
  bool go_on() { return part_ && part_->go_on(); }
  void close();
  void abandon();                            // after a failure: what is in the file stays
  media::RecorderProgress progress() const;  // of all files
  const Closed& closed() const { return closed_; }

 private:
  media::RecorderSettings settings_for(const TextureDesc& texture) const;
  LayoutSettings layout_for(const TextureDesc& texture) const;
  std::optional<std::string> refusal_of(const TextureDesc& texture) const;
  void begin(const PooledFrame& frame, double fps);
  static media::RecorderReport finished(media::Recorder& part, std::exception_ptr& failure);
  std::shared_ptr<media::RecordedSound> begin_sound();
  void write_sound();

  const media::RecorderSettings settings_;  // but the claim
  const LayoutSettings layout_;
  const Sound sound_;
  std::shared_ptr<media::OutputClaim> claim_;  // until the first frame
  size_t begun_ = 0;
  size_t next_part_ = 1;
  std::unique_ptr<media::Recorder> part_;  // null: none is open
  TextureDesc desc_;                       // of part_
  struct Asked {
    TextureDesc texture;
    std::optional<std::string> refusal;
  };
  std::optional<Asked> asked_;  // by refusal()
  Closed closed_;
  media::RecorderProgress closed_progress_;
  StageTime opening_;

  RecordingTime time_;
  uint64_t last_id_ = 0;      // of the frame written last; 0: none in this part, or not known
  bool keeps_lossy_ = false;  // this part does

  SoundPlace sound_place_;
  std::shared_ptr<media::RecordedSound> recorded_sound_;  // of this part; null: it has none
  AudioFormat recorded_format_{};
  bool sound_left_out_ = false;
};

}  // namespace texcast::stream
