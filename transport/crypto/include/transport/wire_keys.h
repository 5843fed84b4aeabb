// wire_keys.h — what a passphrase becomes: the keys of texcast's own encryption and of UltraGrid's. Made once at start,
// then shared by senders and receivers of the process.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string_view>

#include "transport/secret.h"

namespace texcast::transport {

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
