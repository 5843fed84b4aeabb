// crypto_choice.h — the ways in which a sender can encrypt its packets, by their names on the command line.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "base/result.h"

namespace texcast::transport {

// The ultragrid ones carry AES-128 under MD5(passphrase), for receivers that know nothing better: only GCM of them
// authenticates. ECB is read, but not sent: it shows equal blocks as equal.
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
                                           CryptoChoice::ultragrid_cfb};  // to send with
inline constexpr std::array kOpenedCryptoChoices{CryptoChoice::texcast,       CryptoChoice::ultragrid_gcm,
                                                 CryptoChoice::ultragrid_cbc, CryptoChoice::ultragrid_ctr,
                                                 CryptoChoice::ultragrid_cfb, CryptoChoice::ultragrid_ecb};

// "texcast", "ultragrid-gcm", "ultragrid-cbc", "ultragrid-ctr", "ultragrid-cfb", or one line that lists them.
Result<CryptoChoice> parse_crypto(std::string_view word);
// The same for a receiver, with "ultragrid-ecb".
Result<CryptoChoice> parse_opened_crypto(std::string_view word);
// Whether nobody without the passphrase can change or make a packet.
bool authenticates(CryptoChoice choice);
std::string_view name(CryptoChoice choice);  // the same words; "none"

// The most bytes that it adds to a datagram (PacketizerSettings::reserved_bytes).
int reserved_bytes(CryptoChoice choice);

}  // namespace texcast::transport
