#include "transport/crypto_choice.h"

#include <array>
#include <utility>

#include "crypto/sealing.h"
#include "crypto/ultragrid_cipher.h"
#include "transport/packet.h"

namespace texcast::transport {
namespace {

constexpr std::array<std::pair<CryptoChoice, std::string_view>, 6> kNames{{
    {CryptoChoice::none, "none"},
    {CryptoChoice::texcast, "texcast"},
    {CryptoChoice::ultragrid_gcm, "ultragrid-gcm"},
    {CryptoChoice::ultragrid_cbc, "ultragrid-cbc"},
    {CryptoChoice::ultragrid_ctr, "ultragrid-ctr"},
    {CryptoChoice::ultragrid_cfb, "ultragrid-cfb"},
}};

}  // namespace

std::optional<CryptoChoice> parse_crypto_choice(std::string_view word) {
  for (const auto& [choice, text] : kNames)
    if (choice != CryptoChoice::none && text == word) return choice;
  return std::nullopt;
}

std::string_view name(CryptoChoice choice) {
  for (const auto& [candidate, text] : kNames)
    if (candidate == choice) return text;
  return "none";
}

std::optional<UltraGridMode> ultragrid_mode(CryptoChoice choice) {
  switch (choice) {
    case CryptoChoice::ultragrid_gcm: return UltraGridMode::gcm;
    case CryptoChoice::ultragrid_cbc: return UltraGridMode::cbc;
    case CryptoChoice::ultragrid_ctr: return UltraGridMode::ctr;
    case CryptoChoice::ultragrid_cfb: return UltraGridMode::cfb;
    case CryptoChoice::none:
    case CryptoChoice::texcast: break;
  }
  return std::nullopt;
}

int reserved_bytes(CryptoChoice choice) {
  if (choice == CryptoChoice::texcast) return kSealOverhead;
  if (const auto mode = ultragrid_mode(choice))
    return static_cast<int>(kCryptoHeaderBytes + UltraGridCipher::overhead(*mode));
  return 0;
}

}  // namespace texcast::transport
