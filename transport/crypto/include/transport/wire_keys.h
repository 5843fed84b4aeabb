// wire_keys.h — derives the keys of texcast's encryption and of UltraGrid's from a passphrase. Done once at start;
// senders and receivers of the process share the keys.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string_view>
#include <type_traits>

namespace texcast::transport {

// Memory for keys: locked against swapping if the system allows it, excluded from core dumps, between guard pages, and
// wiped when freed (libsodium's sodium_malloc).
void* secret_allocate(size_t bytes);  // zeroed, aligned to 64; throws std::bad_alloc
void secret_free(void* memory) noexcept;

// One T in such memory: a trivially copyable structure, initialised with zeros.
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

class WireKeys {
 public:
  // Takes about a tenth of a second and 64 MiB (Argon2id, libsodium's interactive limits), which slows down guessing of
  // passphrases. Throws Error{failed} if there is not enough memory.
  static std::shared_ptr<const WireKeys> derive(std::string_view passphrase);

  using MasterKey = std::array<std::byte, 32>;
  using UltraGridKey = std::array<std::byte, 16>;
  // Keys from elsewhere (tests avoid the slow derivation).
  static std::shared_ptr<const WireKeys> of(const MasterKey& master, const UltraGridKey& ultragrid);
  const MasterKey& master() const { return *master_; }
  // MD5 of the passphrase, without ":cipher=..." at its end, as UltraGrid computes it.
  const UltraGridKey& ultragrid() const { return *ultragrid_; }

 private:
  Secret<MasterKey> master_;
  Secret<UltraGridKey> ultragrid_;
};

}  // namespace texcast::transport
