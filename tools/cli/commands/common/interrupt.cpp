#include "cli/interrupt.h"

#include <signal.h>
#include <time.h>

#include <cstdint>

namespace texcast::cli {
namespace {

// A signal handler can only use static variables.
std::atomic<bool> flag = false;
std::atomic<int64_t> first_ms = 0;  // time of the first signal; 0: none yet
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int64_t>::is_always_lock_free);

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
  if (first_ms.compare_exchange_strong(first, now) || now - first < kEchoMs) return;
  signal(number, SIG_DFL);
  raise(number);
}

}  // namespace

void watch_interrupts() {
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

}  // namespace texcast::cli
