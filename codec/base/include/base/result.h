// result.h — Result<T>: a value, or the reason why there is none, for outcomes that are normal (a truncated packet,
// "not yet"). The member names are those of std::expected, which GCC 12 in C++20 does not have yet.
#pragma once

#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace texcast {

// The reason as text for a person: what was requested, from what, and what came back. No final full stop.
struct Failure {
  std::string message;
};

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Failure failure) : state_(std::in_place_index<1>, std::move(failure)) {}

  bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }

  // Calling these on a failure is misuse and ends the program.
  T& value() & { return checked(); }
  const T& value() const& { return const_cast<Result*>(this)->checked(); }
  T&& value() && { return std::move(checked()); }
  T& operator*() & { return checked(); }
  const T& operator*() const& { return value(); }
  T* operator->() { return &checked(); }
  const T* operator->() const { return &value(); }

  const Failure& error() const {
    if (has_value()) std::abort();
    return *std::get_if<1>(&state_);
  }

 private:
  T& checked() {
    if (!has_value()) std::abort();
    return *std::get_if<0>(&state_);
  }
  std::variant<T, Failure> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Failure failure) : failure_(std::move(failure)) {}
  bool has_value() const { return !failure_; }
  explicit operator bool() const { return has_value(); }
  const Failure& error() const {
    if (!failure_) std::abort();
    return *failure_;
  }

 private:
  std::optional<Failure> failure_;
};

}  // namespace texcast
