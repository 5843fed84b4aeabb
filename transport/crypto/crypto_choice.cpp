#include "transport/crypto_choice.h"

#include <fmt/core.h>

#include <span>
#include <string>

#include "transport/packet.h"
#include "transport/sealing.h"
#include "transport/ultragrid_cipher.h"

namespace texcast::transport {
namespace {

Result<CryptoChoice> parse_one_of(std::span<const CryptoChoice> choices, std::string_view word) {
  std::string known;
  for (const CryptoChoice choice : choices) {
    if (name(choice) == word) return choice;
    known += (known.empty() ? "" : ", ") + std::string(name(choice));
  }
  return Failure{fmt::format("'{}' is not an encryption method; give one of {}", word, known)};
}

}  // namespace

Result<CryptoChoice> parse_crypto(std::string_view word) { return parse_one_of(kCryptoChoices, word); }

Result<CryptoChoice> parse_opened_crypto(std::string_view word) { return parse_one_of(kOpenedCryptoChoices, word); }

bool authenticates(CryptoChoice choice) {
  return choice == CryptoChoice::texcast || choice == CryptoChoice::ultragrid_gcm;
}

std::string_view name(CryptoChoice choice) {
  switch (choice) {
    case CryptoChoice::none: break;
    case CryptoChoice::texcast: return "texcast";
    case CryptoChoice::ultragrid_gcm: return "ultragrid-gcm";
    case CryptoChoice::ultragrid_cbc: return "ultragrid-cbc";
    case CryptoChoice::ultragrid_ctr: return "ultragrid-ctr";
    case CryptoChoice::ultragrid_cfb: return "ultragrid-cfb";
    case CryptoChoice::ultragrid_ecb: return "ultragrid-ecb";
  }
  return "none";
}

std::optional<UltraGridMode> ultragrid_mode(CryptoChoice choice) {
  switch (choice) {
    case CryptoChoice::ultragrid_gcm: return UltraGridMode::gcm;
    case CryptoChoice::ultragrid_cbc: return UltraGridMode::cbc;
    case CryptoChoice::ultragrid_ctr: return UltraGridMode::ctr;
    case CryptoChoice::ultragrid_cfb: return UltraGridMode::cfb;
    case CryptoChoice::ultragrid_ecb: return UltraGridMode::ecb;
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
