// crypto_choice.h — the encryption methods of a sender, by their command line names.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "base/result.h"

namespace texcast::transport {

// The ultragrid choices use AES-128 with MD5(passphrase) as key, for receivers that support nothing better; of these
// only GCM authenticates. ECB can be received but not sent, because equal blocks remain recognisable.
enum class CryptoChoice : uint8_t {
  none,
  texcast,
  ultragrid_gcm,
  ultragrid_cbc,
  ultragrid_ctr,
  ultragrid_cfb,
  ultragrid_ecb
};

inline constexpr std::array kCryptoChoices{CryptoChoice::texcast, CryptoChoice::ultragrid_gcm,
                                           CryptoChoice::ultragrid_cbc, CryptoChoice::ultragrid_ctr,
                                           CryptoChoice::ultragrid_cfb};  // for sending
inline constexpr std::array kOpenedCryptoChoices{CryptoChoice::texcast,       CryptoChoice::ultragrid_gcm,
                                                 CryptoChoice::ultragrid_cbc, CryptoChoice::ultragrid_ctr,
                                                 CryptoChoice::ultragrid_cfb, CryptoChoice::ultragrid_ecb};

// "texcast", "ultragrid-gcm", "ultragrid-cbc", "ultragrid-ctr" or "ultragrid-cfb"; otherwise an error of one line that
// lists them.
Result<CryptoChoice> parse_crypto(std::string_view word);
// The same for a receiver, which also accepts "ultragrid-ecb".
Result<CryptoChoice> parse_opened_crypto(std::string_view word);
// True if nobody without the passphrase can change or make a packet.
bool authenticates(CryptoChoice choice);
std::string_view name(CryptoChoice choice);  // the same words; "none"

// The most bytes that it adds to a datagram (PacketizerSettings::reserved_bytes).
int reserved_bytes(CryptoChoice choice);

}  // namespace texcast::transport
