// comes_true.h — waits for what another thread or process does.
#pragma once

#include <chrono>
#include <thread>

#include "patience.h"

namespace texcast::test {

// Whether `done()` becomes true within kPatience; it is asked every two milliseconds.
template <typename Done>
[[nodiscard]] bool comes_true(const Done& done) {
  const auto limit = std::chrono::steady_clock::now() + kPatience;
  while (!done()) {
    if (std::chrono::steady_clock::now() > limit) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

}  // namespace texcast::test
