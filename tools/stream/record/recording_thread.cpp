#include "stream/recording_thread.h"

#include <utility>

namespace texcast::stream {

RecordingThread::RecordingThread(std::unique_ptr<media::Recorder> recorder)
    : recorder_(std::move(recorder)), thread_([this] { run(); }) {}

RecordingThread::~RecordingThread() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void RecordingThread::settle() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !job_; });
  if (failure_) std::rethrow_exception(failure_);
}

void RecordingThread::write(const TextureView& texture, nanoseconds pts) {
  settle();
  {
    const std::lock_guard lock(mutex_);
    job_ = Job{texture, pts};
  }
  changed_.notify_all();
}

media::RecorderReport RecordingThread::finish() {
  settle();
  const StageTimer timer(time_);
  return recorder_->finish();
}

void RecordingThread::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return job_ || ending_; });
    if (!job_) return;
    const Job job = *job_;
    lock.unlock();
    std::exception_ptr failure;
    try {
      const StageTimer timer(time_);
      recorder_->write(job.texture, job.pts);
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    failure_ = failure;
    job_.reset();
    changed_.notify_all();
  }
}

}  // namespace texcast::stream
