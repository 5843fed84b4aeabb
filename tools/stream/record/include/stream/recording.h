// recording.h — a recording written on its own thread, so that a slow disk does not cost packets.
#pragma once

#include <array>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/loop_thread.h"
#include "live/block_pool.h"
#include "media/recorder.h"
#include "stream/layout_recorder.h"
#include "stream/missing_frames.h"
#include "stream/recording_sound.h"
#include "stream/space_watch.h"
#include "texcast/error.h"

namespace texcast::stream {

// What happens to a frame while kQueueFrames are waiting for the disk.
enum class WhenFull { drop, wait };

struct RecordingReport {
  int64_t frames = 0;
  int64_t bytes = 0;
  MissingFrames missing;
  std::vector<std::string> files;  // as they are named; more than one where it is split, or the stream changed
  std::optional<Error> failure;    // ended the recording; what the files have until then is in them
  std::string full;                // it ended because its files have as much as they may have: the line that says so
};

// put() and finish() from one thread, put_sound() from another; the writing thread is inside.
class Recording {
 public:
  static constexpr size_t kQueueFrames = 32;

  // Texture and rate of the settings are those of the frames.
  Recording(media::RecorderSettings settings, WhenFull when_full, LayoutSettings layout = {});
  ~Recording();  // finishes the file
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  // `fps` is the stream's nominal rate. Never throws for what the writing met: once the recording has ended, frames are
  // forgotten, because whoever shows them goes on.
  void put(const FrameRef& frame, double fps);
  // Sound that goes with the frames, in .mov and .mkv. A recording that is to have some waits for the first of it a
  // moment (kSoundWait), as a file's tracks are named at its beginning.
  static constexpr nanoseconds kSoundWait = std::chrono::milliseconds(300);
  void expect_sound();  // before the first put()
  void put_sound(const SoundBlock& block);
  // Writes what waits, closes the file. The report has the failure the first time only.
  RecordingReport finish();
  // As finish(), of a stream that goes on: waits first for the sound of the last frame, which comes behind it, while
  // another thread goes on to put_sound(); kSoundEnd at most.
  static constexpr nanoseconds kSoundEnd = std::chrono::seconds(1);
  RecordingReport finish_with_sound();
  // These may be called on any thread.
  uint64_t dropped() const;
  bool ended() const;  // nothing more is written
  // What people should know now, each once: that little room is left, that the recording has ended, and why. The log
  // has it too.
  std::optional<std::string> notice();

 private:
  struct Job {
    FrameRef frame;
    double fps = 0;
  };
  void run(const std::stop_token& stop);
  void give_up(const std::exception_ptr& failure);
  void write(const Job& job);
  void write_watched(const Job& job);
  void count_missing(double fps);
  void wait_for_sound(const std::stop_token& stop);
  std::shared_ptr<media::RecordedSound> begin_sound();
  void write_sound();
  void close_part();
  bool has_all_sound() const;
  void say(std::string text);

  std::shared_ptr<media::OutputClaim> claim_;  // until the first frame; the writing thread's
  const media::RecorderSettings settings_;
  LayoutSettings layout_;  // the writing thread's
  const WhenFull when_full_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::array<Job, kQueueFrames> queue_;  // a ring: `waiting_` jobs from `first_` on
  size_t first_ = 0;
  size_t waiting_ = 0;
  bool ended_ = false;  // the writing thread is
  std::optional<std::string> notice_;
  media::RecorderProgress progress_;  // of all parts
  std::optional<SteadyTime> writing_since_;
  MissingCause cause_;
  Standstills standstills_;
  RecordingReport report_;

  WallTime picture_end_{};  // of the last frame that came, on the sender's clock; zero: not known
  WallTime sound_end_{};    // of the last sound, as that

  bool expects_sound_ = false;
  std::optional<SoundBlock> sound_format_;  // of the first block; its samples mean nothing
  WaitingSound sound_;

  // Only the writing thread:
  SoundPlace sound_place_;
  std::shared_ptr<media::RecordedSound> recorded_sound_;  // of this part; null: it has none
  AudioFormat recorded_format_{};
  bool told_of_sound_ = false;  // the file's beginning has waited for sound
  bool sound_left_out_ = false;
  SpaceWatch space_;
  media::RecorderProgress closed_parts_;
  size_t next_part_ = 1;
  std::unique_ptr<media::Recorder> part_;
  TextureDesc part_desc_;
  nanoseconds last_pts_{};
  uint64_t last_id_ = 0;      // of the frame written last; 0: none in this part, or not known
  bool keeps_lossy_ = false;  // this part does
  nanoseconds part_begin_{};
  LoopThread thread_;  // last: it uses all of the above
};

}  // namespace texcast::stream
