// wire_keys.h — what a passphrase becomes: the keys of texcast's own encryption and of UltraGrid's. Made once at start,
// then shared by senders and receivers of the process.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string_view>
#include <type_traits>

namespace texcast::transport {

// Memory for keys: locked against swapping where the system allows it, left out of core dumps, between guard pages,
// wiped when it is let go (libsodium's sodium_malloc).
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

class WireKeys {
 public:
  // Takes about a tenth of a second and 64 MiB (Argon2id, libsodium's interactive limits): that is what slows down who
  // tries passphrases. Throws Error{failed} where the memory is not there.
  static std::shared_ptr<const WireKeys> derive(std::string_view passphrase);

  using MasterKey = std::array<std::byte, 32>;
  using UltraGridKey = std::array<std::byte, 16>;
  // Keys that are made elsewhere (tests: a derivation takes its time).
  static std::shared_ptr<const WireKeys> of(const MasterKey& master, const UltraGridKey& ultragrid);
  const MasterKey& master() const { return *master_; }
  // MD5 of the passphrase, as UltraGrid takes it: without ":cipher=..." at its end.
  const UltraGridKey& ultragrid() const { return *ultragrid_; }

 private:
  Secret<MasterKey> master_;
  Secret<UltraGridKey> ultragrid_;
};

}  // namespace texcast::transport
