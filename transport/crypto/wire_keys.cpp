#include "transport/wire_keys.h"

#include <nettle/md5.h>
#include <sodium.h>

#include <cstring>
#include <new>

#include "base/ensure.h"
#include "texcast/error.h"

namespace texcast::transport {
namespace {

// Public and constant: both ends must derive the same key without communicating.
constexpr unsigned char kSalt[crypto_pwhash_SALTBYTES + 1] = "texcast sealing1";

}  // namespace

void* secret_allocate(size_t bytes) {
  ENSURE(sodium_init() >= 0);  // the system has no source of random bytes
  // sodium_malloc aligns the end to a page, so multiples of 64 are aligned to 64.
  const size_t rounded = (bytes + 63) / 64 * 64;
  void* memory = sodium_malloc(rounded);
  if (!memory) throw std::bad_alloc();
  std::memset(memory, 0, rounded);
  return memory;
}

void secret_free(void* memory) noexcept { sodium_free(memory); }

std::shared_ptr<const WireKeys> WireKeys::derive(std::string_view passphrase) {
  ENSURE(!passphrase.empty());
  auto keys = std::make_shared<WireKeys>();
  if (crypto_pwhash(reinterpret_cast<unsigned char*>(keys->master_->data()), keys->master_->size(), passphrase.data(),
                    passphrase.size(), kSalt, crypto_pwhash_OPSLIMIT_INTERACTIVE, crypto_pwhash_MEMLIMIT_INTERACTIVE,
                    crypto_pwhash_ALG_ARGON2ID13) != 0)
    throw Error(ErrorKind::failed, "cannot derive the key from the passphrase: this needs 64 MiB of free memory");

  const std::string_view bare = passphrase.substr(0, passphrase.find(":cipher="));
  Secret<md5_ctx> md5;
  md5_init(&*md5);
  md5_update(&*md5, bare.size(), reinterpret_cast<const uint8_t*>(bare.data()));
  md5_digest(&*md5, keys->ultragrid_->size(), reinterpret_cast<uint8_t*>(keys->ultragrid_->data()));
  return keys;
}

std::shared_ptr<const WireKeys> WireKeys::of(const MasterKey& master, const UltraGridKey& ultragrid) {
  auto keys = std::make_shared<WireKeys>();
  *keys->master_ = master;
  *keys->ultragrid_ = ultragrid;
  return keys;
}

}  // namespace texcast::transport
