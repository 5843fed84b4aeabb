// secret.h — memory for keys: locked against swapping where the system allows it, left out of core dumps, between guard
// pages, wiped when it is let go (libsodium's sodium_malloc).
#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>

namespace texcast::transport {

void* secret_allocate(size_t bytes);  // zeroed, aligned to 64; throws std::bad_alloc
void secret_free(void* memory) noexcept;

// One T in such memory, a structure of plain bytes for which zeros are a good beginning.
template <typename T>
class Secret {
  static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= 64);

 public:
  Secret() : value_(static_cast<T*>(secret_allocate(sizeof(T)))) {}
  T* operator->() { return value_.get(); }
  const T* operator->() const { return value_.get(); }
  T& operator*() { return *value_; }
  const T& operator*() const { return *value_; }

 private:
  struct Free {
    void operator()(T* value) const noexcept { secret_free(value); }
  };
  std::unique_ptr<T, Free> value_;
};

}  // namespace texcast::transport
