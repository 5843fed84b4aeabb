#include "reopening.h"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <utility>

#include "base/log.h"
#include "screen/monitor_names.h"
#include "texcast/error.h"

namespace texcast::screen::wayland {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// The reports of the compositor, the screen saver and the portal come in any order.
constexpr seconds kReasonBefore{1}, kReasonAfter{2};
// Monitors change in several steps.
constexpr milliseconds kSettled{500};
// A desktop that has just been unlocked may still refuse captures.
constexpr int kMostFailures = 10;
constexpr seconds kRetryAfter{1};
constexpr seconds kAskedAfter{5};  // a token is accepted faster

}  // namespace

struct Reopening::Attempt {
  Attempt(SharedDesktop::Settings settings, const WakeEvent& waker)
      : thread([this, &waker, settings = std::move(settings)](const std::stop_token& stop) {
          try {
            opened = std::make_unique<SharedDesktop>(settings, stop);
          } catch (const Error& e) {
            error = e.what();
          } catch (...) {
            failure = std::current_exception();
          }
          is_done = true;
          waker.wake();
        }) {}

  // Written by the thread until is_done.
  std::unique_ptr<SharedDesktop> opened;
  std::string error;
  std::exception_ptr failure;
  std::atomic<bool> is_done = false;
  const SteadyTime begun = steady_now();
  std::jthread thread;  // last, so that it ends first
};

Reopening::Reopening(SharedDesktop& ended, const CaptureTarget& target, std::string message)
    : message_(std::move(message)),
      names_(ended.monitors()),
      is_window_(target.kind == CaptureTarget::Kind::window),
      is_remembered_(ended.is_remembered()),
      ended_at_(steady_now()),
      reason_after_(std::max(ended.opened_at(), ended_at_ - kReasonBefore)) {
  ended.close();
}

Reopening::~Reopening() = default;

bool Reopening::has_reason(const Watches& watches) const {
  if (watches.lock.is_locked() || watches.lock.changed_at() > reason_after_) return true;
  return !is_window_ && watches.monitors.changed_at() > reason_after_;
}

void Reopening::say(const std::string& text) {
  if (std::exchange(said_, text) != text) log_info("{}", text);
}

// Whether the desktop would share the same again now.
bool Reopening::is_possible(const Watches& watches) {
  if (watches.lock.is_locked()) {
    say("the desktop is locked: its last picture stays until it is unlocked");
    return false;
  }
  if (is_window_) return true;
  const Outputs* const outputs = watches.monitors.outputs();
  if (outputs == nullptr) return true;  // not known
  if (outputs->monitors.empty()) {
    say("the desktop has no monitor now: its last picture stays until one returns");
    return false;
  }
  for (const std::string& name : names_)
    if (named(outputs->monitors, name) == nullptr) {
      say(fmt::format(
          "the monitor {} is gone: its last picture stays until it returns; to send another one, start again", name));
      return false;
    }
  return true;
}

std::unique_ptr<SharedDesktop> Reopening::poll(const Watches& watches,
                                               const std::function<SharedDesktop::Settings()>& settings) {
  const SteadyTime now = steady_now();
  next_ = SteadyTime::max();
  if (watches.monitors.has_ended()) throw Error(ErrorKind::input, message_ + "; the compositor has ended");
  if (!has_reason_) {
    has_reason_ = has_reason(watches);
    if (!has_reason_ && now < ended_at_ + kReasonAfter) {
      next_ = ended_at_ + kReasonAfter;
      return nullptr;
    }
    if (!has_reason_) throw Error(ErrorKind::input, message_);
    if (!is_remembered_)
      throw Error(ErrorKind::input, message_ +
                                        "; its monitors have changed, or it was locked. Start the capture again: the "
                                        "desktop asks what to share, as it does not remember the choice");
  }
  if (!attempt_) {
    const SteadyTime begin = std::max(not_before_, std::max(watches.monitors.changed_at(), ended_at_) + kSettled);
    if (now < begin) {
      next_ = begin;
      return nullptr;
    }
    if (!is_possible(watches)) return nullptr;
    said_.clear();
    attempt_ = std::make_unique<Attempt>(settings(), watches.waker);
    next_ = attempt_->begun + kAskedAfter;
    return nullptr;
  }
  if (!attempt_->is_done) {
    const SteadyTime asked_after = attempt_->begun + kAskedAfter;
    if (now < asked_after)
      next_ = asked_after;
    else
      say("waiting for the desktop's dialogue: choose there what to share");
    return nullptr;
  }
  const auto done = std::exchange(attempt_, nullptr);
  if (done->failure) std::rethrow_exception(done->failure);
  if (done->opened) {
    log_info("the capture goes on");
    return std::move(done->opened);
  }
  if (++failures_ >= kMostFailures) throw Error(ErrorKind::input, message_ + "; again: " + done->error);
  next_ = not_before_ = now + kRetryAfter;
  return nullptr;
}

}  // namespace texcast::screen::wayland
