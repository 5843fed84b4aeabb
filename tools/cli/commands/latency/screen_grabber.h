// screen_grabber.h — captures the screen on a thread of its own, and records when each time code appeared.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/loop_thread.h"
#include "media/time_code.h"
#include "screen/screen_capture.h"

namespace texcast::cli {

struct Grab {
  int64_t code = 0;
  WallTime drawn{};  // the screen was updated, perhaps with the previous picture
  WallTime there{};  // the picture with the code had been captured
};

class ScreenGrabber {
 public:
  // `where`: the value of --grab. Throws Error{usage}, and as screen::open_capture() does.
  explicit ScreenGrabber(const std::string& where);
  // Sets the size of the picture to search for, which is the same in each call. Before that none is found. On any
  // thread.
  void look_for(int width, int height);
  // Ends the thread, and throws if capturing failed. Returns the first capture of each code, in order, of the last few
  // thousand.
  std::vector<Grab> finish();

 private:
  void run(const std::stop_token& stop);
  std::optional<int64_t> read(const FrameView& screen);

  std::unique_ptr<screen::ScreenCapture> capture_;
  std::mutex mutex_;
  int width_ = 0, height_ = 0;  // guarded by mutex_
  std::vector<Grab> grabs_;     // used by the thread until it has ended
  std::optional<media::PicturePlace> place_;
  int not_read_ = 0;  // consecutive updates without a code
  DecodedImage image_;
  std::optional<LoopThread> thread_;  // last: it uses all members above
};

}  // namespace texcast::cli
