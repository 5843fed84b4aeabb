// screen_grabber.h — the time read off the screen by a capture of it, on a thread of its own: which code was to be seen
// from when on.
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
  WallTime drawn{};  // something was drawn, which may have been the picture before
  WallTime there{};  // the picture with the code was in our hands
};

class ScreenGrabber {
 public:
  // `where`: as `--grab` names it. Throws Error{usage}, and as screen::open_capture() does.
  explicit ScreenGrabber(const std::string& where);
  // How large the picture is that is looked for; the same each time. From any thread. Before that nothing is found.
  void look_for(int width, int height);
  // Ends it; throws what capturing met. The first sight of each code, in order, of the last few thousand.
  std::vector<Grab> finish();

 private:
  void run(const std::stop_token& stop);
  std::optional<int64_t> read(const FrameView& screen);

  std::unique_ptr<screen::ScreenCapture> capture_;
  std::mutex mutex_;
  int width_ = 0, height_ = 0;  // with mutex_
  std::vector<Grab> grabs_;     // the thread's, until it has ended
  std::optional<media::PicturePlace> place_;
  int not_read_ = 0;  // updates in a row
  DecodedImage image_;
  std::optional<LoopThread> thread_;  // last: it uses all of the above
};

}  // namespace texcast::cli
