// reopening.h — goes on with a capture that the desktop has ended for a reason that passes: GNOME ends captures when a
// monitor is scaled, gets another mode, or is unplugged, and when the screen is locked.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/wake_event.h"
#include "lock_watch.h"
#include "outputs.h"
#include "shared_desktop.h"

namespace texcast::screen::wayland {

// A capture is opened again only if its end has such a reason; otherwise a person has stopped sharing. The portal's
// token of the first time spares the dialogue. Not thread-safe; opens the session on a thread of its own.
class Reopening {
 public:
  struct Watches {
    const OutputWatch& monitors;
    const LockWatch& lock;
    const WakeEvent& waker;  // woken when poll() has something to do; outlives this object
  };
  // Closes `ended`, of `target`. `message`: of the error if there is no such reason.
  Reopening(SharedDesktop& ended, const CaptureTarget& target, std::string message);
  ~Reopening();
  Reopening(const Reopening&) = delete;
  Reopening& operator=(const Reopening&) = delete;

  // The capture that goes on; null: not yet. Call it after changes of the watches, and at next(). Throws Error{input}.
  std::unique_ptr<SharedDesktop> poll(const Watches& watches, const std::function<SharedDesktop::Settings()>& settings);
  SteadyTime next() const { return next_; }

 private:
  struct Attempt;

  bool has_reason(const Watches& watches) const;
  bool is_possible(const Watches& watches);
  void say(const std::string& text);

  const std::string message_;
  const std::vector<std::string> names_;  // of the monitors that must be there
  const bool is_window_, is_remembered_;
  const SteadyTime ended_at_, reason_after_;  // an earlier change is not the reason
  bool has_reason_ = false;
  std::string said_;
  int failures_ = 0;
  SteadyTime not_before_ = SteadyTime::min();
  SteadyTime next_ = SteadyTime::min();  // set by poll()
  std::unique_ptr<Attempt> attempt_;
};

}  // namespace texcast::screen::wayland
