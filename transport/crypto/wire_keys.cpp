#include "transport/wire_keys.h"

#include <nettle/md5.h>
#include <sodium.h>

#include "base/ensure.h"
#include "base/error.h"

namespace texcast::transport {
namespace {

// Not a secret and never another: both ends must come to the same key with nothing said between them.
constexpr unsigned char kSalt[crypto_pwhash_SALTBYTES + 1] = "texcast sealing1";

}  // namespace

std::shared_ptr<const WireKeys> WireKeys::derive(std::string_view passphrase) {
  ENSURE(!passphrase.empty());
  auto keys = std::make_shared<WireKeys>();
  if (crypto_pwhash(reinterpret_cast<unsigned char*>(keys->master_->data()), keys->master_->size(), passphrase.data(),
                    passphrase.size(), kSalt, crypto_pwhash_OPSLIMIT_INTERACTIVE, crypto_pwhash_MEMLIMIT_INTERACTIVE,
                    crypto_pwhash_ALG_ARGON2ID13) != 0)
    throw Error(ErrorKind::failed, "cannot make the key of the passphrase: that needs 64 MiB of free memory");

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
