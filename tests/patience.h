// patience.h — how long a test waits for what another thread or process must bring. Only what hangs takes so long,
// however slow the machine is: no test may fail because something took a while.
#pragma once

#include <chrono>

namespace texcast::test {

inline constexpr std::chrono::nanoseconds kPatience = std::chrono::minutes(5);

}  // namespace texcast::test
