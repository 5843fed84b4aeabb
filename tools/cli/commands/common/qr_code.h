// qr_code.h — makes QR codes, by libqrencode.
#pragma once

#include <optional>
#include <string>

#include "text/qr_lines.h"

namespace texcast::cli {

// The smallest code for a text without zero bytes. Nothing if it is too long (2953 bytes), or the library is missing.
std::optional<QrModules> qr_code(const std::string& text);

}  // namespace texcast::cli
