// content_hash.cpp — content_hash() of ocl/cache.h.
#include <sodium.h>

#include <array>

#include "base/ensure.h"
#include "ocl/cache.h"

namespace texcast::ocl {

std::string content_hash(std::string_view bytes) {
  static const int ready = sodium_init();  // selects the fastest implementation for this processor
  ENSURE(ready >= 0);
  std::array<unsigned char, crypto_generichash_BYTES> hash{};
  crypto_generichash(hash.data(), hash.size(), reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(),
                     nullptr, 0);
  std::array<char, 2 * crypto_generichash_BYTES + 1> hex{};
  sodium_bin2hex(hex.data(), hex.size(), hash.data(), hash.size());
  return hex.data();
}

bool is_content_hash(std::string_view text) {
  return text.size() == 2 * crypto_generichash_BYTES &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

}  // namespace texcast::ocl
