#include "cli/interrupt.h"

#include <fmt/core.h>
#include <poll.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <exception>
#include <utility>

#include "base/log.h"
#include "base/wake_event.h"
#include "cli/standard_streams.h"
#include "ocl/cache.h"
#include "text/figures.h"

namespace texcast::cli {
namespace {

// A signal handler can only use static variables.
std::atomic<bool> flag = false;
std::atomic<int> first_signal = 0;
std::atomic<int64_t> first_ms = 0;                 // time of the first signal; 0: none yet
std::atomic<const WakeEvent*> on_first = nullptr;  // woken by the first signal
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free &&
              std::atomic<int64_t>::is_always_lock_free && std::atomic<const WakeEvent*>::is_always_lock_free);

// A second signal within this time counts as the first: timeout(1) signals the program, and then its process group.
constexpr int64_t kEchoMs = 100;

int64_t now_ms() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000 + 1;
}

// The second signal has its default action, which ends the program.
void on_signal(int number) {
  flag.store(true, std::memory_order_relaxed);
  const int64_t now = now_ms();
  int64_t first = 0;
  if (first_ms.compare_exchange_strong(first, now)) {
    first_signal = number;
    if (const WakeEvent* const event = on_first) event->wake();
    return;
  }
  if (now - first < kEchoMs) return;
  signal(number, SIG_DFL);
  raise(number);
}

const WakeEvent& signal_event() {
  static const WakeEvent event;
  return event;
}

}  // namespace

void watch_interrupts() {
  on_first = &signal_event();
  struct sigaction action = {};
  action.sa_handler = on_signal;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  // SIGHUP is sent when the terminal or remote login ends. nohup has set it to be ignored.
  struct sigaction before = {};
  if (sigaction(SIGHUP, nullptr, &before) == 0 && before.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, nullptr);
  // If the reader of stdout ends, the write fails instead of ending the program with an unclosed recording.
  signal(SIGPIPE, SIG_IGN);
  // The same holds for a file that reaches RLIMIT_FSIZE: writing fails with EFBIG, as on a full disk.
  signal(SIGXFSZ, SIG_IGN);
}

const std::atomic<bool>& interrupt_flag() { return flag; }

void interrupt() { flag.store(true, std::memory_order_relaxed); }

int ending_signal() { return first_signal; }

void end_by(int number) {
  ocl::leave_caches();
  signal(number, SIG_DFL);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, number);
  pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
  raise(number);
  _exit(128 + number);
}

void end_if_interrupted() {
  const int number = ending_signal();
  if (number == 0) return;
  finish_stdout();
  end_by(number);
}

void tell_interruption(const std::string& how) {
  if (ending_signal() != 0) log_warning("interrupted {}", how);
}

void tell_interruption(int64_t frames, std::optional<int64_t> all, const std::string& file) {
  if (all && frames >= *all) return;
  tell_interruption(fmt::format("after {}{}{}", all ? fmt::format("{} of ", frames) : "",
                                plural(static_cast<uint64_t>(all.value_or(frames)), "frame"),
                                file.empty() ? "" : "; " + file + " has these"));
}

EndsHereIfInterrupted::~EndsHereIfInterrupted() {
  if (std::uncaught_exceptions() == 0) end_if_interrupted();
}

EndsAtOnceIfInterrupted::EndsAtOnceIfInterrupted(std::function<void()> clean_up, nanoseconds grace)
    : clean_up_(std::move(clean_up)), grace_(grace), thread_([this](const std::stop_token& stop) { run(stop); }) {}

EndsAtOnceIfInterrupted::~EndsAtOnceIfInterrupted() {
  const std::lock_guard lock(mutex_);  // while the other thread ends the process, this one goes no further
  over_ = true;
}

void EndsAtOnceIfInterrupted::run(const std::stop_token& stop) {
  const std::stop_callback wakes(stop, [] { signal_event().wake(); });
  while (!stop.stop_requested()) {
    pollfd event{.fd = signal_event().fd(), .events = POLLIN, .revents = 0};
    poll(&event, 1, -1);
    if (ending_signal() == 0) {
      signal_event().take();
      continue;
    }
    if (grace_ > nanoseconds{}) {
      signal_event().take();
      poll(&event, 1, static_cast<int>(in_milliseconds(grace_)));  // the destructor ends it
    }
    const std::lock_guard lock(mutex_);
    if (over_) return;
    if (clean_up_) clean_up_();
    end_if_interrupted();
  }
}

}  // namespace texcast::cli
