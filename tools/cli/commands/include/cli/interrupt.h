// interrupt.h — Ctrl-C, SIGTERM and SIGHUP as a flag that loops look at, so that recordings are closed. A second one
// ends the program at once.
#pragma once

#include <atomic>

namespace texcast::cli {

void watch_interrupts();  // once, before any thread starts
const std::atomic<bool>& interrupt_flag();
void interrupt();  // as Ctrl-C does. Any thread
inline bool interrupted() { return interrupt_flag().load(std::memory_order_relaxed); }

}  // namespace texcast::cli
