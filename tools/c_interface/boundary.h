// boundary.h — the edge between C callers and libtexcast: arguments are checked, structs of other versions are read and
// written, and exceptions become statuses.
//
// Every exported function consists of guarded(error, [&] { …; return TEXCAST_OK; }), and inside of it may throw.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>

#include "struct_sizes.h"
#include "texcast/c/status.h"
#include "texcast/error.h"

namespace texcast::c {

[[noreturn]] void throw_misuse(const std::string& message);

// Throws misuse unless `size` is one that a version of a struct with at least `first` bytes may have.
void check_size(size_t size, size_t first, const char* name);
// Throws usage if one of the bytes is set. They are members that this library does not know.
void check_unknown(const unsigned char* bytes, size_t count, const char* name);

// A pointer that must not be null: handles, strings, results.
template <typename T>
T& required(T* pointer, const char* name) {
  if (!pointer) throw_misuse(std::string(name) + " is NULL");
  return *pointer;
}

// The value of an enumerator, which may be any number: callers are C programs.
template <typename T>
uint32_t number_of(const T& enumerator) {
  static_assert(std::is_enum_v<T> && sizeof(T) == sizeof(uint32_t));
  uint32_t number = 0;
  std::memcpy(&number, &enumerator, sizeof(number));
  return number;
}
// Checks that `value` is among the first `count` enumerators, which are numbered from 0.
template <typename To, typename From>
To enumerator(const From& value, uint32_t count, const char* name) {
  const uint32_t number = number_of(value);
  if (number >= count) throw_misuse(std::string(name) + " has no value " + std::to_string(number));
  return static_cast<To>(number);
}

// A copy of a caller's struct of any version. Members that it lacks are zero.
template <typename T>
T input(const T* given, const char* name) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(&required(given, name));
  size_t size = 0;
  std::memcpy(&size, bytes, sizeof(size));
  check_size(size, first_size<T>(), name);
  T own;
  std::memset(&own, 0, sizeof(own));
  std::memcpy(&own, bytes, size < sizeof(own) ? size : sizeof(own));
  if (size > sizeof(own)) check_unknown(bytes + sizeof(own), size - sizeof(own), name);
  return own;
}
// The same; the defaults for NULL.
template <typename T>
T optional_input(const T* given, const char* name) {
  if (given) return input(given, name);
  T own;
  std::memset(&own, 0, sizeof(own));
  return own;
}

// A caller's struct for a result. It is checked first, so that a call with a wrong one has no effect.
template <typename T>
class Output {
 public:
  Output(T* given, const char* name) : given_(&required(given, name)) {
    std::memcpy(&size_, given_, sizeof(size_));
    check_size(size_, first_size<T>(), name);
  }
  // Members that the caller does not know are left out, those that this library does not know become zero.
  void set(const T& values) const {
    auto* bytes = reinterpret_cast<unsigned char*>(given_);
    constexpr size_t kHead = sizeof(size_t);
    const size_t common = size_ < sizeof(T) ? size_ : sizeof(T);
    std::memcpy(bytes + kHead, reinterpret_cast<const unsigned char*>(&values) + kHead, common - kHead);
    std::memset(bytes + common, 0, size_ - common);
  }

 private:
  T* given_;
  size_t size_ = 0;
};

// A caller's pointer for a new handle, which is NULL until set.
template <typename T>
T*& handle_out(T** given, const char* name) {
  T*& out = required(given, name);
  out = nullptr;
  return out;
}

bool is_usable(const texcast_error* error);
texcast_status succeeded(texcast_error* error, texcast_status status);
texcast_status failed(texcast_error* error);  // in a catch block

// Runs `call`, which returns a status or throws. With an `error` of a wrong size, nothing is done.
template <typename Call>
texcast_status guarded(texcast_error* error, Call&& call) noexcept {
  if (!is_usable(error)) return TEXCAST_MISUSE;
  try {
    return succeeded(error, call());
  } catch (...) {
    return failed(error);
  }
}

// The same for functions without a status: `otherwise` if `call` throws.
template <typename Result, typename Call>
Result guarded_or(Result otherwise, Call&& call) noexcept {
  try {
    return call();
  } catch (...) {
    return otherwise;
  }
}

inline std::string text(const char* given) { return given ? given : ""; }

}  // namespace texcast::c
