// presets.h — the presets of `send --for PURPOSE`, one table row each. Explicit options override them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/values.h"
#include "texcast/format.h"

namespace texcast::cli {

// The receiver, content or network that a stream is for.
enum class Purpose { texcast, ultragrid, desktop, film, lan, wifi };

struct Preset {
  Purpose purpose{};
  const char* name = "";
  const char* what = "";                  // a short description
  std::optional<TextureFormat> format{};  // none: the usual one
  LossyOptions lossy{};
  std::optional<int> parity_percent{};  // FEC; none: the usual amount
};

std::span<const Preset> presets();
const Preset& preset_of(Purpose purpose);
Result<Purpose> parse_purpose(std::string_view text);
std::string list_purposes();  // "texcast, ultragrid, desktop …", in the table's order

}  // namespace texcast::cli
