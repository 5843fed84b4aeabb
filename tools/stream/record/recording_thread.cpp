#include "stream/recording_thread.h"

#include <utility>

#include "base/file_place.h"
#include "base/log.h"

namespace texcast::stream {

RecordingThread::RecordingThread(std::unique_ptr<media::Recorder> recorder, std::string path, int64_t most_bytes)
    : recorder_(std::move(recorder)),
      path_(std::move(path)),
      space_(most_bytes),
      thread_([this](const std::stop_token& stop) { run(stop); },
              [this](const std::exception_ptr&) {
                {
                  const std::lock_guard lock(mutex_);
                  job_.reset();
                }
                changed_.notify_all();
              }) {}

void RecordingThread::settle() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !job_; });
  thread_.rethrow_failure();
}

void RecordingThread::write(const TextureView& texture, nanoseconds pts, std::span<const TextureView> smaller) {
  settle();
  {
    const std::lock_guard lock(mutex_);
    job_ = Job{texture, pts, smaller};
  }
  changed_.notify_all();
}

media::RecorderProgress RecordingThread::progress() {
  settle();
  return recorder_->progress();
}

media::RecorderReport RecordingThread::finish() {
  try {
    settle();
  } catch (const media::RecordingFull&) {  // the files are complete
  }
  const StageTimer timer(time_);
  return recorder_->finish();
}

void RecordingThread::run(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (changed_.wait(lock, stop, [this] { return job_.has_value(); })) {
    const Job job = *job_;
    lock.unlock();
    {
      const StageTimer timer(time_);
      if (!job.smaller.empty()) recorder_->add_levels(job.smaller);
      recorder_->write(job.texture, job.pts);
    }
    if (const SteadyTime now = steady_now(); space_.due(now))
      if (const auto warning = space_.look(now, recorder_->progress().bytes, free_space(path_)))
        log_warning("{}", *warning);
    lock.lock();
    job_.reset();
    changed_.notify_all();
  }
}

}  // namespace texcast::stream
