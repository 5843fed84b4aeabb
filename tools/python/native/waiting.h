// waiting.h — waits for what threads of libtexcast produce, from threads of Python.
#pragma once

#include <texcast/frame_times.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>

#include "names.h"
#include "without_gil.h"

namespace texcast::python {

// The point in time that is `timeout` seconds from now; without a timeout, the end of time. Error{usage} for NaN.
inline SteadyTime end_of(std::optional<double> timeout) {
  return timeout ? steady_now() + checked_seconds(*timeout) : SteadyTime::max();
}

// Returns what `take(until)` does, which waits without the GIL and returns an optional. Waits in pieces, between which
// Python handles signals, until `end`, or until `is_closed()`.
template <class Take, class IsClosed>
auto take_until(SteadyTime end, Take&& take, IsClosed&& is_closed) -> decltype(take(end)) {
  constexpr auto kSignalPeriod = std::chrono::milliseconds(100);
  for (;;) {
    auto item = without_gil([&] { return take(std::min(end, steady_now() + kSignalPeriod)); });
    if (item) return item;
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    if (is_closed() || steady_now() >= end) return std::nullopt;
  }
}

// The newest value of something that changes. Thread-safe.
template <class Value>
class Latest {
 public:
  void put(Value value) {
    {
      const std::scoped_lock lock(mutex_);
      value_ = std::move(value);
    }
    changed_.notify_one();
  }
  void close() {
    {
      const std::scoped_lock lock(mutex_);
      is_closed_ = true;
      value_.reset();
    }
    changed_.notify_all();
  }
  bool is_closed() const {
    const std::scoped_lock lock(mutex_);
    return is_closed_;
  }
  // The value, if it is newer than the one that was taken last; nothing if none came until then, or after close().
  std::optional<Value> take(SteadyTime until) {
    std::unique_lock lock(mutex_);
    changed_.wait_until(lock, until, [this] { return is_closed_ || value_; });
    return std::exchange(value_, std::nullopt);
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<Value> value_;
  bool is_closed_ = false;
};

}  // namespace texcast::python
