// recording_thread.h — a recorder on a thread of its own, for a caller that makes textures one after the other and may
// lose none: while one is packed and written, the caller makes the next.
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

// All calls come from one thread. Nothing is copied, so only one texture is in progress.
class RecordingThread {
 public:
  // `path` and `most_bytes`: of the recorder. The log warns when there is space for one more minute only.
  explicit RecordingThread(std::unique_ptr<media::Recorder> recorder, std::string path = {}, int64_t most_bytes = 0);
  ~RecordingThread() = default;  // finishes the file

  // `texture` must stay unchanged until settle() or the next call. Throws what writing this texture or the previous one
  // threw; nothing is written after that.
  // `smaller`: mip levels, as in Recorder::add_levels; they must stay unchanged too.
  void write(const TextureView& texture, nanoseconds pts, std::span<const TextureView> smaller = {});
  void settle();                            // waits until the texture is written; throws as write()
  media::RecorderProgress progress();       // of the textures that are written; throws as settle(), which it calls
  media::RecorderReport finish();           // throws as write(), but not RecordingFull
  StageTime time() const { return time_; }  // of all writing; call it after settle()

 private:
  struct Job {
    TextureView texture;
    nanoseconds pts;
    std::span<const TextureView> smaller;
  };
  void run(const std::stop_token& stop);

  std::unique_ptr<media::Recorder> recorder_;
  const std::string path_;
  SpaceWatch space_;  // writing thread
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::optional<Job> job_;  // waiting or being written
  StageTime time_;
  LoopThread thread_;  // last: it uses all of the above
};

}  // namespace texcast::stream
