#include "cli/interrupt.h"

#include <signal.h>

namespace texcast::cli {
namespace {

// A signal handler can only reach what is static.
std::atomic<bool> flag = false;
static_assert(std::atomic<bool>::is_always_lock_free);

}  // namespace

void watch_interrupts() {
  struct sigaction action = {};
  action.sa_handler = [](int) { flag.store(true, std::memory_order_relaxed); };
  action.sa_flags = static_cast<int>(SA_RESETHAND);  // the second one has the default effect: the end
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

}  // namespace texcast::cli
