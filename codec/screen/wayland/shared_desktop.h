// shared_desktop.h — what a person has chosen in the portal's dialogue: one monitor or window, or several monitors as
// one picture.
#pragma once

#include <poll.h>

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/wake_event.h"
#include "mosaic.h"
#include "outputs.h"
#include "pipewire_stream.h"
#include "portal_session.h"
#include "screen/screen_capture.h"

namespace texcast::screen::wayland {

std::string text_of(const Rect& r);
std::string text_of(const CaptureTarget& target);  // also the key of its restore token

// Not thread-safe; it may be opened on another thread than the one that uses it.
class SharedDesktop {
 public:
  struct Settings {
    CaptureTarget target{};
    CursorMode cursor = CursorMode::picture;
    std::optional<Outputs> outputs{};  // at present; none for windows, or if the compositor does not list them
  };
  // Returns when pictures arrive. Throws Stopped, and Error{input}, as open_wayland_capture() does.
  SharedDesktop(Settings settings, const std::stop_token& stop);
  SharedDesktop(const SharedDesktop&) = delete;
  SharedDesktop& operator=(const SharedDesktop&) = delete;

  FrameFormat format() const;
  double refresh_rate() const;                                 // the greatest; 0: not known
  const std::optional<Rect>& place() const { return place_; }  // of the picture on the desktop, in its units
  // The names of the captured monitors. Empty: they cannot be determined, or it is a window.
  const std::vector<std::string>& monitors() const { return monitors_; }
  SteadyTime opened_at() const { return opened_at_; }    // when the portal was asked
  bool is_remembered() const { return is_remembered_; }  // the portal would share it again without a dialogue

  std::vector<pollfd> of_interest() const;
  SteadyTime next_timeout() const;
  void polled() const { waker_.take(); }  // call it after each poll(), before what follows
  void process();
  // Why nothing is shared any more; empty while something is.
  PipewireStream::Ending ended() const;
  bool has_news() const;
  // As PipewireStream::take().
  ScreenUpdate take();
  // Ends the session. take() then returns the last picture.
  void close();

 private:
  struct Wakes {
    const WakeEvent& waker;
    void operator()() const { waker.wake(); }
  };
  struct Stream {
    std::unique_ptr<PipewireStream> pipewire;
    Rect place{};
  };

  void open(const std::stop_token& stop);
  void wait_for_pictures(const std::stop_token& stop);
  bool have_all(bool (PipewireStream::*what)() const) const;
  bool find_places(const std::vector<SharedStream>& shared);
  bool find_place(const SharedStream& shared);
  void find_several(const std::vector<SharedStream>& shared);
  bool is_wanted(const Capturable& monitor) const;
  std::vector<MosaicTile> tiles() const;
  ScreenUpdate take_mosaic();

  const SteadyTime opened_at_ = steady_now();
  Settings settings_;
  WakeEvent waker_;
  std::stop_callback<Wakes> waking_;
  std::optional<PortalSession> portal_;
  std::vector<Stream> streams_;
  std::optional<Rect> place_;
  std::vector<std::string> monitors_;
  bool is_remembered_ = false;
  // Used if there are several streams:
  MosaicLayout layout_;
  std::vector<uint32_t> canvas_;
  std::vector<Rect> damage_;
};

}  // namespace texcast::screen::wayland
