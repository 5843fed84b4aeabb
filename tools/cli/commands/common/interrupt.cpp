#include "cli/interrupt.h"

#include <signal.h>
#include <time.h>

#include <cstdint>

namespace texcast::cli {
namespace {

// A signal handler can only reach what is static.
std::atomic<bool> flag = false;
std::atomic<int64_t> first_ms = 0;  // when the first signal came; 0: none has
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int64_t>::is_always_lock_free);

// A second one that comes with the first is its echo: timeout(1) signals the program, and then all of its group.
constexpr int64_t kEchoMs = 100;

int64_t now_ms() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000 + 1;
}

// The second one has the default effect: the end.
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
  // A terminal or a remote login that goes away. Whoever started us with nohup wants to be spared that.
  struct sigaction before = {};
  if (sigaction(SIGHUP, nullptr, &before) == 0 && before.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, nullptr);
  // A reader of our stdout that goes away is a failed write, not a death without a closed recording.
  signal(SIGPIPE, SIG_IGN);
  // Nor is a file that has reached RLIMIT_FSIZE: that is a full disk (EFBIG).
  signal(SIGXFSZ, SIG_IGN);
}

const std::atomic<bool>& interrupt_flag() { return flag; }

void interrupt() { flag.store(true, std::memory_order_relaxed); }

}  // namespace texcast::cli
