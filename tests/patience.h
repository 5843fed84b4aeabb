// patience.h — how long a test waits for another thread or process. Only a hang takes so long, however slow the machine
// is: no test may fail because something took a while.
#pragma once

#include <chrono>

namespace texcast::test {

inline constexpr std::chrono::nanoseconds kPatience = std::chrono::minutes(5);

}  // namespace texcast::test
