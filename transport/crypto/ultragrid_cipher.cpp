#include "transport/ultragrid_cipher.h"

#include <isa-l/crc.h>
#include <nettle/cbc.h>
#include <nettle/cfb.h>
#include <nettle/ctr.h>
#include <nettle/gcm.h>
#include <sodium.h>

#include <algorithm>
#include <array>

#include "base/ensure.h"
#include "raw_bytes.h"

namespace texcast::transport {
namespace {

constexpr size_t kBlobLengthBytes = 4, kBlobIvBytes = 16, kBlobPrefixBytes = kBlobLengthBytes + kBlobIvBytes;
constexpr size_t kBlobTagBytes = 16, kBlobCrcBytes = 4, kAesBlockBytes = AES_BLOCK_SIZE;

using BlobIv = std::array<uint8_t, kBlobIvBytes>;

// nettle_cipher_func takes a void context, so these adapt the functions; nettle's own examples cast them instead.
void encrypt_blocks(const void* key, size_t bytes, uint8_t* to, const uint8_t* from) {
  aes128_encrypt(static_cast<const aes128_ctx*>(key), bytes, to, from);
}
void decrypt_blocks(const void* key, size_t bytes, uint8_t* to, const uint8_t* from) {
  aes128_decrypt(static_cast<const aes128_ctx*>(key), bytes, to, from);
}

bool is_padded(UltraGridMode mode) { return mode == UltraGridMode::cbc || mode == UltraGridMode::ecb; }

// Size of the ciphertext, including GCM's tag.
size_t body_bytes(UltraGridMode mode, size_t plain_bytes) {
  if (mode == UltraGridMode::gcm) return plain_bytes + kBlobTagBytes;
  const size_t checked = plain_bytes + kBlobCrcBytes;
  return is_padded(mode) ? checked / kAesBlockBytes * kAesBlockBytes + kAesBlockBytes : checked;
}

uint32_t checksum(Bytes aad, Bytes plain) {
  const uint32_t of_aad = crc32_gzip_refl(0, raw(aad), aad.size());
  return crc32_gzip_refl(of_aad, raw(plain), plain.size());
}

BlobIv iv_of(Bytes blob) {
  BlobIv iv;
  std::copy_n(raw(blob) + kBlobLengthBytes, kBlobIvBytes, iv.begin());
  return iv;
}

}  // namespace

struct UltraGridCipher::State {
  struct Schedules {
    gcm_aes128_ctx gcm;
    aes128_ctx encrypt, decrypt;
  };

  explicit State(const WireKeys& keys) {
    const uint8_t* key = raw(Bytes(keys.ultragrid()));
    gcm_aes128_set_key(&schedules->gcm, key);
    aes128_set_encrypt_key(&schedules->encrypt, key);
    aes128_set_decrypt_key(&schedules->decrypt, key);
  }

  bool open_gcm(size_t iv_bytes, Bytes aad, Bytes blob, MutableBytes plain);
  bool decrypt_checked(UltraGridMode mode, Bytes aad, Bytes blob, MutableBytes checked, size_t plain_bytes);
  void random_iv(MutableBytes iv);

  Secret<Schedules> schedules;
  size_t gcm_iv_bytes = 16;             // of the latest blob that was opened
  std::array<std::byte, 4096> randoms;  // one system call for 256 IVs
  size_t randoms_used = sizeof(randoms);
};

bool UltraGridCipher::State::open_gcm(size_t iv_bytes, Bytes aad, Bytes blob, MutableBytes plain) {
  gcm_aes128_ctx* gcm = &schedules->gcm;
  gcm_aes128_set_iv(gcm, iv_bytes, raw(blob) + kBlobLengthBytes);  // hashes the IV if it is not 12 bytes long
  gcm_aes128_update(gcm, aad.size(), raw(aad));
  gcm_aes128_decrypt(gcm, plain.size(), raw_out(plain), raw(blob) + kBlobPrefixBytes);
  std::array<uint8_t, kBlobTagBytes> tag;
  gcm_aes128_digest(gcm, tag.size(), tag.data());
  return sodium_memcmp(tag.data(), raw(blob.last(kBlobTagBytes)), tag.size()) == 0;
}

bool UltraGridCipher::State::decrypt_checked(UltraGridMode mode, Bytes aad, Bytes blob, MutableBytes checked,
                                             size_t plain_bytes) {
  BlobIv iv = iv_of(blob);
  const uint8_t* from = raw(blob) + kBlobPrefixBytes;
  uint8_t* to = raw_out(checked);
  switch (mode) {
    case UltraGridMode::ctr:
      ctr_crypt(&schedules->encrypt, encrypt_blocks, kAesBlockBytes, iv.data(), checked.size(), to, from);
      break;
    case UltraGridMode::cfb:
      cfb_decrypt(&schedules->encrypt, encrypt_blocks, kAesBlockBytes, iv.data(), checked.size(), to, from);
      break;
    case UltraGridMode::ecb: aes128_decrypt(&schedules->decrypt, checked.size(), to, from); break;
    case UltraGridMode::cbc:
      cbc_decrypt(&schedules->decrypt, decrypt_blocks, kAesBlockBytes, iv.data(), checked.size(), to, from);
      break;
    case UltraGridMode::gcm: return false;
  }
  const Bytes padding = checked.subspan(plain_bytes + kBlobCrcBytes);
  const auto pad = static_cast<std::byte>(padding.size());
  return std::ranges::all_of(padding, [pad](std::byte b) { return b == pad; }) &&
         load_le32(checked, plain_bytes) == checksum(aad, checked.first(plain_bytes));
}

void UltraGridCipher::State::random_iv(MutableBytes iv) {
  if (randoms_used + iv.size() > randoms.size()) {
    randombytes_buf(randoms.data(), randoms.size());
    randoms_used = 0;
  }
  std::copy_n(randoms.begin() + static_cast<std::ptrdiff_t>(randoms_used), iv.size(), iv.begin());
  randoms_used += iv.size();
}

UltraGridCipher::UltraGridCipher(const WireKeys& keys) : state_(std::make_unique<State>(keys)) {}
UltraGridCipher::UltraGridCipher(UltraGridCipher&&) noexcept = default;
UltraGridCipher::~UltraGridCipher() = default;

size_t UltraGridCipher::blob_bytes(UltraGridMode mode, size_t plain_bytes) {
  return kBlobPrefixBytes + body_bytes(mode, plain_bytes);
}

size_t UltraGridCipher::overhead(UltraGridMode mode) {
  if (mode == UltraGridMode::gcm) return kBlobPrefixBytes + kBlobTagBytes;
  return kBlobPrefixBytes + kBlobCrcBytes + (is_padded(mode) ? kAesBlockBytes : 0);
}

std::optional<Bytes> UltraGridCipher::open(uint8_t mode_number, Bytes aad, Bytes blob, MutableBytes scratch) {
  ENSURE(scratch.size() >= blob.size());
  if (mode_number < uint8_t(UltraGridMode::ctr) || mode_number > uint8_t(UltraGridMode::gcm)) return std::nullopt;
  const auto mode = static_cast<UltraGridMode>(mode_number);
  if (blob.size() < kBlobPrefixBytes) return std::nullopt;
  // Only one size fits a length, so a wrong length is detected before anything is decrypted.
  const size_t plain_bytes = load_le32(blob, 0);
  if (plain_bytes > blob.size() || blob_bytes(mode, plain_bytes) != blob.size()) return std::nullopt;

  const MutableBytes plain = scratch.first(plain_bytes);
  if (mode != UltraGridMode::gcm) {
    const MutableBytes checked = scratch.first(blob.size() - kBlobPrefixBytes);
    if (!state_->decrypt_checked(mode, aad, blob, checked, plain_bytes)) return std::nullopt;
    return plain;
  }
  const size_t other_iv_bytes = state_->gcm_iv_bytes == 16 ? 12 : 16;
  if (state_->open_gcm(state_->gcm_iv_bytes, aad, blob, plain)) return plain;
  if (!state_->open_gcm(other_iv_bytes, aad, blob, plain)) return std::nullopt;
  state_->gcm_iv_bytes = other_iv_bytes;
  return plain;
}

Bytes UltraGridCipher::seal(UltraGridMode mode, Bytes aad, Bytes plain, MutableBytes out) {
  const size_t size = blob_bytes(mode, plain.size());
  ENSURE(plain.size() <= UINT32_MAX && out.size() >= size);
  const MutableBytes blob = out.first(size);
  store_le32(blob, 0, static_cast<uint32_t>(plain.size()));
  state_->random_iv(blob.subspan(kBlobLengthBytes, kBlobIvBytes));
  State::Schedules& keys = *state_->schedules;
  const MutableBytes body = blob.subspan(kBlobPrefixBytes);

  if (mode == UltraGridMode::gcm) {
    gcm_aes128_set_iv(&keys.gcm, kBlobIvBytes, raw(blob) + kBlobLengthBytes);
    gcm_aes128_update(&keys.gcm, aad.size(), raw(aad));
    gcm_aes128_encrypt(&keys.gcm, plain.size(), raw_out(body), raw(plain));
    gcm_aes128_digest(&keys.gcm, kBlobTagBytes, raw_out(body.last(kBlobTagBytes)));
    return blob;
  }
  std::ranges::copy(plain, body.begin());
  store_le32(body, plain.size(), checksum(aad, plain));
  const MutableBytes padding = body.subspan(plain.size() + kBlobCrcBytes);
  std::ranges::fill(padding, static_cast<std::byte>(padding.size()));
  BlobIv iv = iv_of(blob);
  switch (mode) {
    case UltraGridMode::ctr:
      ctr_crypt(&keys.encrypt, encrypt_blocks, kAesBlockBytes, iv.data(), body.size(), raw_out(body), raw(body));
      break;
    case UltraGridMode::cfb:
      cfb_encrypt(&keys.encrypt, encrypt_blocks, kAesBlockBytes, iv.data(), body.size(), raw_out(body), raw(body));
      break;
    case UltraGridMode::ecb: aes128_encrypt(&keys.encrypt, body.size(), raw_out(body), raw(body)); break;
    case UltraGridMode::cbc: cbc_aes128_encrypt(&keys.encrypt, iv.data(), body.size(), raw_out(body), raw(body)); break;
    case UltraGridMode::gcm: break;
  }
  return blob;
}

}  // namespace texcast::transport
