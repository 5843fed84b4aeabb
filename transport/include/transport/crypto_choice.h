// crypto_choice.h — the ways in which a sender can encrypt its packets, by their names on the command line.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace texcast::transport {

// The ultragrid ones carry AES-128 under MD5(passphrase), for receivers that know nothing better: only GCM of them
// authenticates. ECB is read, but not sent: it shows equal blocks as equal.
enum class CryptoChoice : uint8_t { none, texcast, ultragrid_gcm, ultragrid_cbc, ultragrid_ctr, ultragrid_cfb };

// "texcast", "ultragrid-gcm", "ultragrid-cbc", "ultragrid-ctr", "ultragrid-cfb"; nothing for another word.
std::optional<CryptoChoice> parse_crypto_choice(std::string_view word);
std::string_view name(CryptoChoice choice);  // the same words; "none"

// The most bytes that it adds to a datagram (PacketizerSettings::reserved_bytes).
int reserved_bytes(CryptoChoice choice);

}  // namespace texcast::transport
