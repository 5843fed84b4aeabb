// recording.h — a recording written on its own thread, so that a slow disk does not cost packets.
//
// It ends when its owner, the disk or a limit says so. Packets come from anybody: a stream that the file cannot hold is
// passed over, as is one that does not last (passed_frames.h), and the recording goes on with those that it can hold.
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
#include "live/block_pool.h"
#include "media/recorder.h"
#include "stream/layout_recorder.h"
#include "stream/missing_frames.h"
#include "stream/passed_frames.h"
#include "stream/recording_sound.h"
#include "stream/space_watch.h"
#include "texcast/error.h"

namespace texcast::stream {

class RecordingParts;

// What happens to a frame while kQueueFrames are waiting for the disk.
enum class WhenFull { drop, wait };

struct RecordingReport {
  int64_t frames = 0;
  int64_t bytes = 0;
  MissingFrames missing;
  PassedFrames passed;
  std::vector<std::string> files;  // as they are named; more than one where it is split, or the stream changed
  std::optional<Error> failure;    // ended the recording; what the files have until then is in them
  std::string full;                // it ended because its files have as much as they may have: the line that says so
  std::string refusal;             // there are no files, as they can hold nothing of what came: why
};

// put() and finish() from one thread, put_sound() from another; the writing thread is inside.
class Recording {
 public:
  static constexpr size_t kQueueFrames = 32;
  static_assert(kMostHeld < kQueueFrames);

  // Texture and rate of the settings are those of the frames. With WhenFull::drop frames wait on the disk while a
  // kernel is compiled for them.
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
  uint64_t dropped() const;      // frames that are missing
  uint64_t passed_over() const;  // frames that do not belong into it
  bool ended() const;            // nothing more is written
  // What people should know now, each once: that little room is left, that a stream is not recorded, that the recording
  // has ended, and why. The log has it too.
  std::optional<std::string> notice();

 private:
  struct Job {
    FrameRef frame;
    double fps = 0;
  };
  // What the writing thread does next.
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
  const WhenFull when_full_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::array<Job, kQueueFrames> queue_;  // a ring: `waiting_` jobs from `first_` on
  size_t first_ = 0;
  size_t waiting_ = 0;
  bool ended_ = false;  // the writing thread is
  std::optional<std::string> notice_;
  MissingCause cause_;
  std::array<SteadyTime, kQueueFrames> came_{};  // when each of the frames that came last did: a ring
  size_t came_next_ = 0;
  uint64_t undecided_ = 0;  // missing frames of which the cause is known when the present write has come back
  Standstills standstills_;
  RecordingReport report_;

  WallTime picture_end_{};  // of the last frame that came, on the sender's clock; zero: not known
  WallTime sound_end_{};    // of the last sound, as that

  bool expects_sound_ = false;
  std::optional<SoundBlock> sound_format_;  // of the first block; its samples mean nothing
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
