#include "common/qr_code.h"

#include <qrencode.h>

#include <memory>

#include "base/log.h"
#include "texcast/error.h"

namespace texcast::cli {

std::optional<QrModules> qr_code(const std::string& text) {
  struct Free {
    void operator()(QRcode* code) const { QRcode_free(code); }
  };
  try {
    // A screen is clean and evenly lit, so the lowest level of error correction, with the largest modules, reads best.
    const std::unique_ptr<QRcode, Free> code(QRcode_encodeString8bit(text.c_str(), 0, QR_ECLEVEL_L));
    if (!code) return std::nullopt;
    QrModules modules{.side = code->width, .dark = {}};
    const auto count = static_cast<size_t>(code->width) * static_cast<size_t>(code->width);
    for (size_t i = 0; i < count; ++i) modules.dark.push_back(code->data[i] & 1U);
    return modules;
  } catch (const Error& error) {
    log_debug("no QR code: {}", error.what());
    return std::nullopt;
  }
}

}  // namespace texcast::cli
