// built_later.h — what another thread builds at low priority while this one goes on without it: a device's kernels,
// say.
#pragma once

#include <chrono>
#include <future>
#include <optional>
#include <utility>

#include "base/step_back.h"

namespace texcast {

// Not thread-safe. Its end waits for what is being built.
template <typename T>
class BuiltLater {
 public:
  // `build()` makes a T, on a thread of its own. Nothing is being built, nor built and not taken.
  template <typename Build>
  void build(Build&& build) {
    building_ = std::async(std::launch::async, [build = std::forward<Build>(build)]() mutable {
      step_back();
      return build();
    });
  }
  // Whether there is something that was not taken yet.
  bool is_awaited() const { return building_.valid(); }
  // What was built, once; nothing until it is there. Throws what build() threw, once.
  std::optional<T> take() {
    if (!building_.valid() || building_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return {};
    return building_.get();
  }

 private:
  std::future<T> building_;
};

}  // namespace texcast
