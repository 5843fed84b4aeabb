// recording_thread.h — a recorder on a thread of its own, for who makes textures one after the other and none may be
// lost: while one is packed and written, the next is made.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>

#include "base/loop_thread.h"
#include "base/stage_time.h"
#include "media/recorder.h"
#include "stream/space_watch.h"

namespace texcast::stream {

// From one thread; the writing one is inside. Nothing is copied, so only one texture is under way.
class RecordingThread {
 public:
  // `path` and `most_bytes` are those of the recorder: the log says when there is room for a minute only.
  explicit RecordingThread(std::unique_ptr<media::Recorder> recorder, std::string path = {}, int64_t most_bytes = 0);
  ~RecordingThread() = default;  // finishes the file

  // `texture` has to stay as it is until settle() or the next call. Throws what writing it, or the one before, threw;
  // nothing more is written then.
  // `smaller`: mip levels, as Recorder::add_levels has them; they have to stay too.
  void write(const TextureView& texture, nanoseconds pts, std::span<const TextureView> smaller = {});
  void settle();                            // waits until nothing is under way; throws as write()
  media::RecorderReport finish();           // throws as write(), but not RecordingFull
  StageTime time() const { return time_; }  // of all writing; call it when settled

 private:
  struct Job {
    TextureView texture;
    nanoseconds pts;
    std::span<const TextureView> smaller;
  };
  void run(const std::stop_token& stop);

  std::unique_ptr<media::Recorder> recorder_;
  const std::string path_;
  SpaceWatch space_;  // the writing thread's
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::optional<Job> job_;  // waiting or being written
  StageTime time_;
  LoopThread thread_;  // last: it uses all of the above
};

}  // namespace texcast::stream
