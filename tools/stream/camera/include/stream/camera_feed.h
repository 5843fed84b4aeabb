// camera_feed.h — shows the frames of a stream on a camera: converts the newest frame when a program reads the camera,
// and only if it differs from the previous one.
//
//   receiving thread ──put()──► newest frame ──► step() on a thread of the caller: convert, send
//
// Nothing is converted while no program reads. An unchanged picture is sent again twice a second, without converting
// it: browsers take a camera for muted if no frame comes for 25 frame times. So are pictures to programs that join.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "stream/camera.h"
#include "texcast/picture_converter.h"
#include "textures/block_pool.h"

namespace texcast::stream {

struct CameraCounts {
  uint64_t converted = 0;  // pictures decoded and converted
  uint64_t unchanged = 0;  // frames that were the same as the previous one
  uint64_t unwatched = 0;  // decoded frames that came while no program read the camera
  uint64_t undecoded = 0;  // frames that were not decoded, as no program read the camera
  uint64_t sent = 0;       // pictures given to the camera
  uint64_t repeated = 0;   // of those: pictures that were sent before
};

class CameraFeed {
 public:
  static constexpr size_t kFrames = 3;  // of the pool that are kept
  static constexpr nanoseconds kRepeat = std::chrono::milliseconds(500);
  static constexpr nanoseconds kOfferAgain = std::chrono::milliseconds(500);  // to a camera that could not take it
  // After a pause of the decoder the last frame is shown again only if no newer one comes for so long.
  static constexpr nanoseconds kFreshWait = std::chrono::seconds(1);

  // `camera`, and the pool of the frames, must outlive this. `device`: as choose_device() takes it.
  CameraFeed(Camera& camera, std::string device);
  ~CameraFeed() { camera_.notify({}); }
  CameraFeed(const CameraFeed&) = delete;
  CameraFeed& operator=(const CameraFeed&) = delete;

  // Any thread:
  void put(const FrameRef& frame, double fps);
  void mark_stale();  // a frame came that was not decoded: counts it; the newest decoded frame is out of date now
  void wake();        // step() has something to do
  bool is_watched() const { return watched_.load(std::memory_order_relaxed); }
  CameraCounts counts() const;

  // One thread. Does what is to be done at `now`, and returns when there is something to do again, if nothing wakes it
  // before. Throws Error if a picture cannot be converted.
  SteadyTime step(SteadyTime now);
  // Waits for wake(), put() or `limit`.
  void wait_until(SteadyTime limit, Clock& clock = system_clock());

 private:
  struct Newest {
    FrameRef frame;
    double fps = 0;
    bool is_stale = false;
    bool is_new = false;  // since the last step()
  };
  Newest newest();
  void offer(const Newest& newest, SteadyTime now);
  bool is_shown(const PooledFrame& frame) const;
  bool is_due(const CameraFormat& format, const Newest& newest, SteadyTime now);
  void convert(const Newest& newest, const CameraFormat& format);
  SteadyTime send(const CameraFormat& format, SteadyTime now);

  Camera& camera_;
  const std::string device_;
  std::atomic<bool> watched_ = false;
  mutable std::mutex mutex_;  // protects the following
  std::condition_variable changed_;
  Newest newest_;
  bool woken_ = false;
  CameraCounts counts_;
  // Used by step() only:
  std::optional<CameraOffer> offered_;
  SteadyTime offer_again_ = SteadyTime::max();  // max: the camera has taken it
  SteadyTime watched_since_{};
  FrameRef shown_;  // the frame in picture_; empty: there is none
  std::unique_ptr<PictureConverter> converter_;
  PictureConversion conversion_;
  bool falls_back_ = false;  // to the CPU, as the device failed
  CameraFormat format_{};    // of picture_
  std::vector<std::byte> picture_;
  uint64_t version_ = 0;       // of picture_; 0: there is none
  uint64_t sent_version_ = 0;  // of the picture sent last
  uint64_t joined_ = 0;
  SteadyTime sent_{};      // when
  SteadyTime next_due_{};  // the next new picture, if readers want fewer than come
  std::optional<std::pair<int, int>> refused_;
};

}  // namespace texcast::stream
