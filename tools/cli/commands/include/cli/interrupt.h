// interrupt.h — Ctrl-C, SIGTERM and SIGHUP end a command early, but cleanly: it closes its files, prints its report,
// and then ends by that signal, so that a shell loop stops and `make` does not take the output for complete.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include "base/loop_thread.h"
#include "texcast/frame_times.h"

namespace texcast::cli {

void watch_interrupts();
const std::atomic<bool>& interrupt_flag();
// Sets the flag, on any thread, because the user asked the program itself to quit. That is no interruption: the command
// succeeds.
void interrupt();
inline bool interrupted() { return interrupt_flag().load(std::memory_order_relaxed); }
// The first signal that came; 0: none.
int ending_signal();

// Ends the process by this signal, with the signal's default action: no destructor runs. Leaves the kernel caches in
// order.
[[noreturn]] void end_by(int signal);
// The same with the signal that came. Returns if none came. Output to stdout is written first.
void end_if_interrupted();

// Logs "interrupted HOW" if a signal came.
void tell_interruption(const std::string& how);
// The same for frames that were written: "interrupted after 22 of 720 frames; clip.mov has these". Logs nothing if
// these are all frames. `file` empty: they were only read.
void tell_interruption(int64_t frames, std::optional<int64_t> all, const std::string& file = {});

// Calls end_if_interrupted() at its end, unless an exception is under way. Declare it after objects whose destructors
// wait for a compiler, which cannot be stopped (encoders, presenters): those are not waited for then.
class EndsHereIfInterrupted {
 public:
  EndsHereIfInterrupted() = default;
  ~EndsHereIfInterrupted();
  EndsHereIfInterrupted(const EndsHereIfInterrupted&) = delete;
  EndsHereIfInterrupted& operator=(const EndsHereIfInterrupted&) = delete;
};

// While it exists, a signal ends the process at once, although this thread may be in a driver's compiler for minutes.
// For times in which there is nothing to close, or with `grace` in which that may never end.
class EndsAtOnceIfInterrupted {
 public:
  // `clean_up` removes what must not be left behind, on another thread. `grace`: how long after the signal.
  explicit EndsAtOnceIfInterrupted(std::function<void()> clean_up = {}, nanoseconds grace = {});
  ~EndsAtOnceIfInterrupted();
  EndsAtOnceIfInterrupted(const EndsAtOnceIfInterrupted&) = delete;
  EndsAtOnceIfInterrupted& operator=(const EndsAtOnceIfInterrupted&) = delete;

 private:
  void run(const std::stop_token& stop);

  const std::function<void()> clean_up_;
  const nanoseconds grace_;
  std::mutex mutex_;
  bool over_ = false;
  LoopThread thread_;  // last: it uses the members above
};

}  // namespace texcast::cli
