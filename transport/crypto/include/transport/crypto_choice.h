// crypto_choice.h — the ways in which a sender can encrypt its packets, by their names on the command line.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "base/result.h"

namespace texcast::transport {

// The ultragrid ones carry AES-128 under MD5(passphrase), for receivers that know nothing better: only GCM of them
// authenticates. ECB is read, but not sent: it shows equal blocks as equal.
enum class CryptoChoice : uint8_t { none, texcast, ultragrid_gcm, ultragrid_cbc, ultragrid_ctr, ultragrid_cfb };

inline constexpr std::array kCryptoChoices{CryptoChoice::texcast, CryptoChoice::ultragrid_gcm,
                                           CryptoChoice::ultragrid_cbc, CryptoChoice::ultragrid_ctr,
                                           CryptoChoice::ultragrid_cfb};  // but `none`

// "texcast", "ultragrid-gcm", "ultragrid-cbc", "ultragrid-ctr", "ultragrid-cfb", or one line that lists them.
Result<CryptoChoice> parse_crypto(std::string_view word);
std::string_view name(CryptoChoice choice);  // the same words; "none"

// The most bytes that it adds to a datagram (PacketizerSettings::reserved_bytes).
int reserved_bytes(CryptoChoice choice);

}  // namespace texcast::transport
