// built_later.h — builds an object on another thread at low priority, such as a device's kernels, while the caller goes
// on without it.
#pragma once

#include <chrono>
#include <future>
#include <optional>
#include <utility>

#include "base/step_back.h"

namespace texcast {

// Not thread-safe. The destructor waits for a build that is running.
template <typename T>
class BuiltLater {
 public:
  // Starts `build()`, which makes a T, on a thread of its own. An earlier result must have been taken.
  template <typename Build>
  void build(Build&& build) {
    building_ = std::async(std::launch::async, [build = std::forward<Build>(build)]() mutable {
      step_back();
      return build();
    });
  }
  // Whether a build was started whose result was not taken yet.
  bool is_awaited() const { return building_.valid(); }
  // Whether a build is still running, so that take() returns nothing.
  bool is_building() const {
    return is_awaited() && building_.wait_for(std::chrono::seconds(0)) != std::future_status::ready;
  }
  // Returns the result once, or nothing while it is being built. If build() threw, throws that once.
  std::optional<T> take() {
    if (!is_awaited() || is_building()) return {};
    return building_.get();
  }

 private:
  std::future<T> building_;
};

}  // namespace texcast
