// interrupt.h — Ctrl-C, SIGTERM and SIGHUP set a flag, which loops poll, so that recordings are closed. A second signal
// ends the program at once.
#pragma once

#include <atomic>

namespace texcast::cli {

void watch_interrupts();  // once, before any thread starts
const std::atomic<bool>& interrupt_flag();
void interrupt();  // the same as Ctrl-C; on any thread
inline bool interrupted() { return interrupt_flag().load(std::memory_order_relaxed); }

}  // namespace texcast::cli
