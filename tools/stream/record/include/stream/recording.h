// recording.h — a recording that is written on its own thread, so that a slow disk does not cost packets.
//
// It ends when its owner ends it, when writing fails, or at a size limit. As anybody can send packets, a stream that
// the file cannot hold, or that does not last (passed_frames.h), is skipped; the recording continues with those that it
// can hold.
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
#include "base/standstills.h"
#include "media/recorder.h"
#include "stream/layout_recorder.h"
#include "stream/missing_frames.h"
#include "stream/passed_frames.h"
#include "stream/recording_sound.h"
#include "stream/space_watch.h"
#include "texcast/error.h"
#include "textures/block_pool.h"

namespace texcast::stream {

class RecordingParts;

// If kQueueFrames are waiting for the disk, put() drops the frame or waits.
enum class WhenFull { drop, wait };

struct RecordingReport {
  int64_t frames = 0;
  int64_t bytes = 0;
  MissingFrames missing;
  PassedFrames passed;
  std::vector<std::string> files;  // names; several if the recording is split or the stream changed
  std::optional<Error> failure;    // that ended the recording; the files keep what was written before it
  bool reader_gone = false;        // the failure: nobody reads the pipe any more
  std::string full;                // not empty: the files reached their size limit; a line that says so
  std::string refusal;             // not empty: the reason why nothing could be recorded, and there are no files
};

// put() and finish() are called from one thread, put_sound() from another.
class Recording {
 public:
  static constexpr size_t kQueueFrames = 32;
  static_assert(kMostHeld < kQueueFrames);

  // Texture and frame rate are taken from the frames, not from `settings`. With WhenFull::drop, frames wait on the disk
  // while a kernel for them is compiled.
  Recording(media::RecorderSettings settings, WhenFull when_full, LayoutSettings layout = {});
  ~Recording();  // finishes the file
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  // `fps` is the stream's nominal rate. Does not throw errors of writing: frames are dropped once the recording has
  // ended, as the caller still shows them.
  void put(const FrameRef& frame, double fps);
  // The sound of the frames, in .mov and .mkv. A recording that expects sound waits up to kSoundWait for the first
  // block, because a file's tracks are declared at its beginning.
  static constexpr nanoseconds kSoundWait = std::chrono::milliseconds(300);
  void expect_sound();  // before the first put()
  void put_sound(const SoundBlock& block);
  // Writes the waiting frames and closes the file. The report has the failure the first time only.
  RecordingReport finish();
  // Like finish(), for a stream that continues: first waits, at most kSoundEnd, for the sound of the last frame, which
  // arrives after it, while another thread still calls put_sound().
  static constexpr nanoseconds kSoundEnd = std::chrono::seconds(1);
  RecordingReport finish_with_sound();
  // From any thread.
  uint64_t dropped() const;      // RecordingReport::missing
  uint64_t passed_over() const;  // RecordingReport::passed
  bool ended() const;            // nothing more is written
  // A line for the user, each once: little space is left, a stream is not recorded, or the recording has ended, and
  // why. It is logged too.
  std::optional<std::string> notice();

 private:
  struct Job {
    FrameRef frame;
    double fps = 0;
  };
  // The writing thread's next action.
  enum class Act { write, pass_over, go_on, end };
  struct Turn {
    Act act = Act::end;
    Job job{};
    PassedFrames::Why why{};  // with pass_over
  };

  void run(const std::stop_token& stop);
  Turn next_turn(const std::stop_token& stop);
  std::optional<Turn> turn_of_oldest(bool no_more);
  WaitingRun waiting_run(bool no_more) const;
  Job pop();
  void pause(const std::stop_token& stop);
  void write(const Job& job);
  template <typename Work>
  void watched(const Work& work);
  void look_at_space();
  void pass_over(const Job& job, PassedFrames::Why why);
  void tell_refusal(const TextureDesc& texture);
  void give_up(const std::exception_ptr& failure);
  void count_missing(nanoseconds span, double fps);
  void wait_for_sound(const std::stop_token& stop);
  std::unique_ptr<RecordingParts> make_parts(media::RecorderSettings settings, LayoutSettings layout);
  bool has_all_sound() const;
  void say(std::string text);

  const std::string path_;
  const size_t most_files_;
  const bool is_pipe_;
  const WhenFull when_full_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::array<Job, kQueueFrames> queue_;  // a ring: `waiting_` jobs from `first_` on
  size_t first_ = 0;
  size_t waiting_ = 0;
  bool has_begun_ = false;  // a frame has come
  bool ended_ = false;      // the writing thread has ended
  std::optional<std::string> notice_;
  MissingCause cause_;
  std::array<SteadyTime, kQueueFrames> came_{};  // arrival times of the latest frames: a ring
  size_t came_next_ = 0;
  uint64_t undecided_ = 0;  // missing frames whose cause will be known after the current write
  Standstills standstills_;
  RecordingReport report_;

  WallTime picture_end_{};  // end of the latest frame on the sender's clock; zero: unknown
  WallTime sound_end_{};    // the same of the latest sound

  bool expects_sound_ = false;
  std::optional<SoundBlock> sound_format_;  // the first block; its samples are not valid
  WaitingSound sound_;

  // Only the writing thread:
  SpaceWatch space_;
  std::unique_ptr<RecordingParts> parts_;
  bool waited_for_sound_ = false;
  std::vector<TextureDesc> told_refusals_;
  std::string first_refusal_;
  bool told_of_most_files_ = false;
  LoopThread thread_;  // last: it uses all of the above
};

}  // namespace texcast::stream
