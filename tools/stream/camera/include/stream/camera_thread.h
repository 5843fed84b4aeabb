// camera_thread.h — the thread that converts and sends a camera's pictures.
#pragma once

#include "base/loop_thread.h"
#include "stream/camera_feed.h"

namespace texcast::stream {

// All members may be called on any thread.
class CameraThread {
 public:
  // Starts at once. `feed` must outlive this.
  explicit CameraThread(CameraFeed& feed) : feed_(feed), thread_([this](const std::stop_token& stop) { run(stop); }) {}
  ~CameraThread() { stop(); }
  CameraThread(const CameraThread&) = delete;
  CameraThread& operator=(const CameraThread&) = delete;
  void rethrow_failure() const { thread_.rethrow_failure(); }  // of CameraFeed::step()
  void stop();

 private:
  void run(const std::stop_token& stop);

  CameraFeed& feed_;
  LoopThread thread_;  // last: it uses the above
};

}  // namespace texcast::stream
